package io.github.lockstarter.sample.demo;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Kills this process, as {@code kill -9} does: no lock is released, and no waiter is
 * notified. Only an instance that was started for it can be killed, and only by a request
 * from its own machine. The request contains the instance's id, so that it cannot kill a
 * later instance at the same port.
 */
@RestController
class KillController {

	private static final int KILLED = 137;

	private final Instances instances;

	KillController(Instances instances) {
		this.instances = instances;
	}

	@PostMapping("/demo/kill")
	void kill(@RequestParam String instanceId, HttpServletRequest request) {
		Instance own = this.instances.own();
		if (!own.killable() || !own.instanceId().equals(instanceId) || !ThisMachine.sent(request)) {
			throw new ResponseStatusException(HttpStatus.FORBIDDEN);
		}
		Runtime.getRuntime().halt(KILLED);
	}

}
