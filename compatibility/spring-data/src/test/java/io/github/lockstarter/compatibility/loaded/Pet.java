package io.github.lockstarter.compatibility.loaded;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;

/**
 * A pet, which is also what a form is bound to.
 */
@Entity
public class Pet {

	@Id
	@GeneratedValue
	private Integer id;

	private String name;

	@ManyToOne
	private Owner owner;

	public void setId(Integer id) {
		this.id = id;
	}

	public String getName() {
		return this.name;
	}

	public void setName(String name) {
		this.name = name;
	}

	void belongsTo(Owner owner) {
		this.owner = owner;
	}

}
