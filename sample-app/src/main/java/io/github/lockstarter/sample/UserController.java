package io.github.lockstarter.sample;

import java.net.URI;
import java.util.List;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The HTTP API of users.
 */
@RestController
class UserController {

	private final UserRepository users;

	private final RegistrationService registration;

	UserController(UserRepository users, RegistrationService registration) {
		this.users = users;
		this.registration = registration;
	}

	@PostMapping("/users")
	ResponseEntity<User> register(@RequestParam String userName) {
		if (!this.users.findByName(userName).isEmpty()) {
			throw new AlreadyRegisteredException();
		}
		return created(this.registration.register(userName));
	}

	@PostMapping("/unguarded/users")
	ResponseEntity<User> registerUnguarded(@RequestParam String userName) {
		return created(this.registration.registerUnguarded(userName));
	}

	@GetMapping("/users/{userId}")
	ResponseEntity<User> user(@PathVariable long userId) {
		return ResponseEntity.of(this.users.findById(userId));
	}

	@GetMapping("/users")
	List<User> users(@RequestParam String userName) {
		return this.users.findByName(userName);
	}

	private static ResponseEntity<User> created(User user) {
		return ResponseEntity.created(URI.create("/users/" + user.userId())).body(user);
	}

}
