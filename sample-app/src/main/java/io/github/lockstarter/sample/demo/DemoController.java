package io.github.lockstarter.sample.demo;

import java.net.URI;

import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.sample.User;

/**
 * One registration under several policies: the handlers differ only in the annotation.
 * With {@code SKIP} the annotation is on the service that the handler calls.
 */
@RestController
class DemoController {

	private final RecordedRegistration registration;

	private final SkippedRegistration skipped;

	private final Instances instances;

	DemoController(RecordedRegistration registration, SkippedRegistration skipped, Instances instances) {
		this.registration = registration;
		this.skipped = skipped;
		this.instances = instances;
	}

	@PostMapping("/demo/unguarded")
	ResponseEntity<User> unguarded(@RequestParam String userName, @RequestHeader HttpHeaders headers) {
		return register(userName, headers);
	}

	@PostMapping("/demo/reject")
	@ExclusiveRequest(name = "demo", key = "#userName")
	ResponseEntity<User> reject(@RequestParam String userName, @RequestHeader HttpHeaders headers) {
		return register(userName, headers);
	}

	@PostMapping("/demo/wait")
	@ExclusiveRequest(name = "demo", key = "#userName", onConflict = OnConflict.WAIT, waitTime = "1m")
	ResponseEntity<User> waitTurn(@RequestParam String userName, @RequestHeader HttpHeaders headers) {
		return register(userName, headers);
	}

	@PostMapping("/demo/share")
	@ExclusiveRequest(name = "demo", key = "#userName", onConflict = OnConflict.SHARE, waitTime = "1m")
	ResponseEntity<User> share(@RequestParam String userName, @RequestHeader HttpHeaders headers) {
		return register(userName, headers);
	}

	@PostMapping("/demo/replay")
	@ExclusiveRequest(name = "demo", key = "#userName", replay = "1h")
	ResponseEntity<User> replay(@RequestParam String userName, @RequestHeader HttpHeaders headers) {
		return register(userName, headers);
	}

	@PostMapping("/demo/skip")
	ResponseEntity<User> skip(@RequestParam String userName, @RequestHeader HttpHeaders headers) {
		return this.skipped.register(userName, headers)
			.map(DemoController::created)
			.orElse(ResponseEntity.noContent().build());
	}

	@GetMapping("/demo/instance")
	String instance() {
		return this.instances.own().instanceId();
	}

	private ResponseEntity<User> register(String userName, HttpHeaders headers) {
		return created(this.registration.register(userName, headers));
	}

	private static ResponseEntity<User> created(User user) {
		return ResponseEntity.created(URI.create("/users/" + user.userId())).body(user);
	}

}
