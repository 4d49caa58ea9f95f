package io.github.lockstarter.benchmarks.http;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.benchmarks.candidate.LockClient;

/**
 * The endpoints without an annotation.
 */
@RestController
class PlainController {

	private final LockClient byHand;

	private final LockClient redisson;

	private final Set<String> running = ConcurrentHashMap.newKeySet();

	PlainController(LockClient byHand, LockClient redisson) {
		this.byHand = byHand;
		this.redisson = redisson;
	}

	@PostMapping(Variant.Paths.NONE)
	ResponseEntity<String> none(@RequestParam String key, @RequestParam long work) throws Exception {
		return ResponseEntity.ok(Work.blocking(work));
	}

	@PostMapping(Variant.Paths.BY_HAND)
	ResponseEntity<?> byHand(@RequestParam String key, @RequestParam long work) throws Exception {
		return locked(this.byHand, key, work, PlainController::conflict);
	}

	@PostMapping(Variant.Paths.BY_HAND_PROBLEM)
	ResponseEntity<?> byHandProblem(@RequestParam String key, @RequestParam long work) throws Exception {
		return locked(this.byHand, key, work, Problem::rejected);
	}

	@PostMapping(Variant.Paths.LOCAL_SET)
	ResponseEntity<?> localSet(@RequestParam String key, @RequestParam long work) throws Exception {
		if (!this.running.add(key)) {
			return Problem.rejected();
		}
		try {
			return locked(this.byHand, key, work, Problem::rejected);
		}
		finally {
			this.running.remove(key);
		}
	}

	@PostMapping(Variant.Paths.BY_HAND_PROPERTY)
	ResponseEntity<?> byHandProperty(Order order, @RequestParam long work) throws Exception {
		return locked(this.byHand, order.number(), work, PlainController::conflict);
	}

	@PostMapping(Variant.Paths.REDISSON)
	ResponseEntity<?> redisson(@RequestParam String key, @RequestParam long work) throws Exception {
		return locked(this.redisson, key, work, PlainController::conflict);
	}

	private static ResponseEntity<?> conflict() {
		return ResponseEntity.status(HttpStatus.CONFLICT).build();
	}

	private static ResponseEntity<?> locked(LockClient locks, String key, long work,
			Supplier<ResponseEntity<?>> rejected) throws Exception {
		Runnable release = locks.tryAcquire(key);
		if (release == null) {
			return rejected.get();
		}
		try {
			return ResponseEntity.ok(Work.blocking(work));
		}
		finally {
			release.run();
		}
	}

}
