package io.github.lockstarter.benchmarks.http;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * The endpoints with the annotation of this library.
 */
@RestController
class ExclusiveRequestController {

	@PostMapping(Variant.Paths.THIS)
	@ExclusiveRequest(name = "benchmark", key = "#key")
	ResponseEntity<String> exclusive(@RequestParam String key, @RequestParam long work) throws Exception {
		return ResponseEntity.ok(Work.blocking(work));
	}

	@PostMapping(Variant.Paths.THIS_PROPERTY)
	@ExclusiveRequest(name = "benchmark", key = "#order.number")
	ResponseEntity<String> exclusive(Order order, @RequestParam long work) throws Exception {
		return ResponseEntity.ok(Work.blocking(work));
	}

}
