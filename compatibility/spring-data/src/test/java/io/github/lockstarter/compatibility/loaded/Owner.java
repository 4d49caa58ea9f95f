package io.github.lockstarter.compatibility.loaded;

import java.util.HashSet;
import java.util.Set;

import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.OneToMany;

/**
 * The owner of pets, which are loaded with it.
 */
@Entity
public class Owner {

	@Id
	@GeneratedValue
	private Integer id;

	private int visits;

	@OneToMany(mappedBy = "owner", fetch = FetchType.EAGER)
	private Set<Pet> pets = new HashSet<>();

	public Integer getId() {
		return this.id;
	}

	int visits() {
		return this.visits;
	}

	void addVisit() {
		this.visits++;
	}

	boolean hasPet(String name) {
		return this.pets.stream().anyMatch((pet) -> pet.getName().equals(name));
	}

}
