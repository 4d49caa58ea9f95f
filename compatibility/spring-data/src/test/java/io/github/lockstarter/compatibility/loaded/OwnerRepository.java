package io.github.lockstarter.compatibility.loaded;

import org.springframework.data.jpa.repository.JpaRepository;

interface OwnerRepository extends JpaRepository<Owner, Integer> {

}
