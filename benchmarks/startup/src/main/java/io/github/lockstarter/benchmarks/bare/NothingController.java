package io.github.lockstarter.benchmarks.bare;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Responds to every request like the lock service, without reading it.
 */
@RestController
class NothingController {

	private static final String LOCK = """
			{"name":"none","token":"none","fencingToken":1,"expiresInMillis":30000}""";

	@PutMapping("/locks/{name}")
	ResponseEntity<String> acquire() {
		return ResponseEntity.status(HttpStatus.CREATED).contentType(MediaType.APPLICATION_JSON).body(LOCK);
	}

	@DeleteMapping("/locks/{name}")
	ResponseEntity<Void> release() {
		return ResponseEntity.noContent().build();
	}

}
