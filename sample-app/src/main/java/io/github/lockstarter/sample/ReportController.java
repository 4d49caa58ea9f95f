package io.github.lockstarter.sample;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

/**
 * Creates expensive reports. Concurrent requests for the same report share one result.
 */
@RestController
class ReportController {

	private final SampleProperties properties;

	private final AtomicInteger runs = new AtomicInteger();

	ReportController(SampleProperties properties) {
		this.properties = properties;
	}

	@GetMapping("/reports")
	@ExclusiveRequest(name = "reports", key = "#values", onConflict = OnConflict.SHARE)
	Report report(@RequestParam List<Integer> values) throws InterruptedException {
		int run = this.runs.incrementAndGet();
		Thread.sleep(this.properties.reports().latency().toMillis());
		return new Report(values, values.stream().mapToLong(Integer::longValue).sum(), run);
	}

}
