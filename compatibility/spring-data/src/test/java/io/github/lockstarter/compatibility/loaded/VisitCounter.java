package io.github.lockstarter.compatibility.loaded;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * Counts the visits of an owner that Spring Data has loaded for the handler.
 */
@RestController
class VisitCounter {

	private final OwnerRepository owners;

	VisitCounter(OwnerRepository owners) {
		this.owners = owners;
	}

	@PostMapping("/owners/{ownerId}/visits")
	@ExclusiveRequest(name = "visits", key = "pathVariable('ownerId')", waitTime = "1m")
	public void add(@PathVariable("ownerId") Owner owner) {
		owner.addVisit();
		this.owners.save(owner);
	}

}
