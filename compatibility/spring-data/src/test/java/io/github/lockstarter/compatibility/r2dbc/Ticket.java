package io.github.lockstarter.compatibility.r2dbc;

import org.springframework.data.annotation.Id;
import org.springframework.data.domain.Persistable;
import org.springframework.data.relational.core.mapping.Table;

@Table("TICKET")
record Ticket(@Id String id, String holder) implements Persistable<String> {

	static Ticket of(String id) {
		return new Ticket(id, id);
	}

	@Override
	public String getId() {
		return this.id;
	}

	@Override
	public boolean isNew() {
		return true;
	}

}
