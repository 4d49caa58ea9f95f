package io.github.lockstarter.benchmarks.startup;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * One endpoint. Without the starter, the JVM ignores its annotation.
 */
@RestController
class GreetingController {

	@PostMapping("/greetings")
	@ExclusiveRequest(name = "greeting", key = "#name")
	String greet(@RequestParam String name) {
		return "Hello, " + name;
	}

}
