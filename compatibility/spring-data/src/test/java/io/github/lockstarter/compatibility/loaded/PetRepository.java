package io.github.lockstarter.compatibility.loaded;

import org.springframework.data.jpa.repository.JpaRepository;

interface PetRepository extends JpaRepository<Pet, Integer> {

	long countByOwner(Owner owner);

}
