package io.github.lockstarter.sample.demo;

import java.net.URI;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.sample.RegistrationService;
import io.github.lockstarter.sample.User;

/**
 * Registration with four policies: the handlers differ only in the annotation.
 */
@RestController
class DemoController {

	private final RegistrationService registration;

	private final Executions executions;

	private final Instances instances;

	DemoController(RegistrationService registration, Executions executions, Instances instances) {
		this.registration = registration;
		this.executions = executions;
		this.instances = instances;
	}

	@PostMapping("/demo/unguarded")
	ResponseEntity<User> unguarded(@RequestParam String userName, @RequestHeader("Request-Number") int number) {
		return register(userName, number);
	}

	@PostMapping("/demo/reject")
	@ExclusiveRequest(name = "demo", key = "#userName")
	ResponseEntity<User> reject(@RequestParam String userName, @RequestHeader("Request-Number") int number) {
		return register(userName, number);
	}

	@PostMapping("/demo/wait")
	@ExclusiveRequest(name = "demo", key = "#userName", onConflict = OnConflict.WAIT)
	ResponseEntity<User> waitTurn(@RequestParam String userName, @RequestHeader("Request-Number") int number) {
		return register(userName, number);
	}

	@PostMapping("/demo/share")
	@ExclusiveRequest(name = "demo", key = "#userName", onConflict = OnConflict.SHARE)
	ResponseEntity<User> share(@RequestParam String userName, @RequestHeader("Request-Number") int number) {
		return register(userName, number);
	}

	@GetMapping("/demo/instance")
	String instance() {
		return this.instances.own().instanceId();
	}

	private ResponseEntity<User> register(String userName, int number) {
		this.executions.begin(userName, number, this.instances.own().name());
		try {
			User user = this.registration.registerUnguarded(userName);
			return ResponseEntity.created(URI.create("/users/" + user.userId())).body(user);
		}
		finally {
			this.executions.end(userName, number);
		}
	}

}
