package io.github.lockstarter.benchmarks.http;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.benchmarks.candidate.LockClient;

/**
 * The endpoints that make do without an annotation.
 */
@RestController
class PlainController {

	private final LockClient byHand;

	private final LockClient redisson;

	PlainController(LockClient byHand, LockClient redisson) {
		this.byHand = byHand;
		this.redisson = redisson;
	}

	@PostMapping(Variant.Paths.NONE)
	ResponseEntity<String> none(@RequestParam String key, @RequestParam long work) throws Exception {
		return ResponseEntity.ok(Work.blocking(work));
	}

	@PostMapping(Variant.Paths.BY_HAND)
	ResponseEntity<String> byHand(@RequestParam String key, @RequestParam long work) throws Exception {
		return locked(this.byHand, key, work);
	}

	@PostMapping(Variant.Paths.REDISSON)
	ResponseEntity<String> redisson(@RequestParam String key, @RequestParam long work) throws Exception {
		return locked(this.redisson, key, work);
	}

	private static ResponseEntity<String> locked(LockClient locks, String key, long work) throws Exception {
		Runnable release = locks.tryAcquire(key);
		if (release == null) {
			return ResponseEntity.status(HttpStatus.CONFLICT).build();
		}
		try {
			return ResponseEntity.ok(Work.blocking(work));
		}
		finally {
			release.run();
		}
	}

}
