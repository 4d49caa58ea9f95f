package io.github.lockstarter.sample.demo;

import java.net.InetAddress;
import java.net.UnknownHostException;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Kills this process, as {@code kill -9} does: nothing is released, and nobody is
 * notified. Only an instance that was started for it, only from this machine, and only
 * for a caller that knows the instance's id from the database.
 */
@RestController
class KillController {

	private static final int KILLED = 137;

	private final Instances instances;

	KillController(Instances instances) {
		this.instances = instances;
	}

	@PostMapping("/demo/kill")
	void kill(@RequestParam String instanceId, HttpServletRequest request) throws UnknownHostException {
		Instance own = this.instances.own();
		if (!own.killable() || !own.instanceId().equals(instanceId)
				|| !InetAddress.getByName(request.getRemoteAddr()).isLoopbackAddress()) {
			throw new ResponseStatusException(HttpStatus.FORBIDDEN);
		}
		Runtime.getRuntime().halt(KILLED);
	}

}
