package io.github.lockstarter.compatibility.loaded;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.springframework.stereotype.Controller;
import org.springframework.validation.BindingResult;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Adds pets to an owner that Spring MVC has loaded, and looks there for a pet with the
 * same name. Each request stops when it has loaded the owner.
 */
@Controller
class PetForm {

	/** A permit lets one request go on that has loaded its owner. */
	static volatile Semaphore loaded = new Semaphore(0);

	private final OwnerRepository owners;

	private final PetRepository pets;

	PetForm(OwnerRepository owners, PetRepository pets) {
		this.owners = owners;
		this.pets = pets;
	}

	@InitBinder
	void keepIds(WebDataBinder binder) {
		binder.setDisallowedFields("id");
	}

	@ModelAttribute("owner")
	Owner owner(@PathVariable int ownerId) throws InterruptedException {
		Owner owner = this.owners.findById(ownerId).orElseThrow();
		assertThat(loaded.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
		return owner;
	}

	@PostMapping("/owners/{ownerId}/pets/new")
	@ExclusiveRequest(name = "pet", key = "path")
	public String add(@ModelAttribute("owner") Owner owner, Pet pet, BindingResult errors) {
		if (owner.hasPet(pet.getName())) {
			errors.rejectValue("name", "duplicate");
			return "form";
		}
		pet.belongsTo(owner);
		this.pets.save(pet);
		return "redirect:/owners/{ownerId}";
	}

	@PostMapping("/owners/{ownerId}/pets/new/in-turn")
	@ExclusiveRequest(name = "pet", key = "path", onConflict = OnConflict.WAIT, waitTime = "1m")
	public String addInTurn(@ModelAttribute("owner") Owner owner, Pet pet, BindingResult errors) {
		return add(owner, pet, errors);
	}

}
