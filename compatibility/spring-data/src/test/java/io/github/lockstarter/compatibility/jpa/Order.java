package io.github.lockstarter.compatibility.jpa;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.PrePersist;
import jakarta.persistence.Table;

/**
 * An order. A test may stop the first write of one.
 */
@Entity
@Table(name = "orders")
public class Order {

	static Runnable beforeInsert = () -> {
	};

	@Id
	private String id;

	private String state;

	protected Order() {
	}

	Order(String id) {
		this.id = id;
		this.state = id;
	}

	public String getId() {
		return this.id;
	}

	public String getState() {
		return this.state;
	}

	@PrePersist
	void stop() {
		beforeInsert.run();
	}

}
