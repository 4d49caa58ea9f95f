package io.github.lockstarter.benchmarks.http;

import com.baomidou.lock.annotation.Lock4j;
import com.baomidou.lock.exception.LockFailureException;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The endpoint with lock4j's annotation. It tries once, and nevertheless sleeps for its
 * retry interval before it rejects.
 */
@RestController
class Lock4jController {

	@PostMapping(Variant.Paths.LOCK4J)
	@Lock4j(name = "benchmark", keys = "#key", expire = 10_000, acquireTimeout = 0)
	ResponseEntity<String> exclusive(@RequestParam String key, @RequestParam long work) throws Exception {
		return ResponseEntity.ok(Work.blocking(work));
	}

	@ExceptionHandler
	ResponseEntity<String> rejected(LockFailureException rejection) {
		return ResponseEntity.status(HttpStatus.CONFLICT).build();
	}

}
