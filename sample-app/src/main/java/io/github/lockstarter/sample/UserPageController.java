package io.github.lockstarter.sample;

import java.util.Map;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.servlet.ModelAndView;

/**
 * The HTML pages of users, at the same addresses as the HTTP API.
 */
@Controller
class UserPageController {

	private final UserRepository users;

	UserPageController(UserRepository users) {
		this.users = users;
	}

	@GetMapping(path = "/users/{userId}", produces = MediaType.TEXT_HTML_VALUE)
	ModelAndView user(@PathVariable long userId) {
		return this.users.findById(userId)
			.map((user) -> new ModelAndView("user", "user", user))
			.orElseGet(() -> new ModelAndView("error/4xx", Map.of("status", 404), HttpStatus.NOT_FOUND));
	}

}
