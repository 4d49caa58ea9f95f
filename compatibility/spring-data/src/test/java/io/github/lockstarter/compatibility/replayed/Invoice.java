package io.github.lockstarter.compatibility.replayed;

import java.util.ArrayList;
import java.util.List;

import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Version;

/** An invoice, with what a session loads only on demand. */
@Entity
class Invoice {

	@Id
	@GeneratedValue
	private Long id;

	@Version
	private long version;

	private boolean paid;

	@ElementCollection(fetch = FetchType.LAZY)
	private List<String> items = new ArrayList<>(List.of("a", "b"));

	@ManyToOne(fetch = FetchType.LAZY)
	private Invoice replaced;

	Long getId() {
		return this.id;
	}

	long getVersion() {
		return this.version;
	}

	void replace(Invoice replaced) {
		this.replaced = replaced;
	}

	boolean pay() {
		boolean first = !this.paid;
		this.paid = true;
		return first;
	}

}
