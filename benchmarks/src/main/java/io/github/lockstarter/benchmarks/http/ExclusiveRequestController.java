package io.github.lockstarter.benchmarks.http;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * The endpoint with the annotation of this library.
 */
@RestController
class ExclusiveRequestController {

	@PostMapping(Variant.Paths.THIS)
	@ExclusiveRequest(name = "benchmark", key = "#key")
	ResponseEntity<String> exclusive(@RequestParam String key, @RequestParam long work) throws Exception {
		return ResponseEntity.ok(Work.blocking(work));
	}

}
