package io.github.lockstarter.recipes;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

@RestController
class ReportController {

	private final Sales sales;

	ReportController(Sales sales) {
		this.sales = sales;
	}

	@GetMapping("/reports/{year}")
	@ExclusiveRequest(name = "report", key = "#year", onConflict = OnConflict.SHARE, waitTime = "30s")
	Report report(@PathVariable int year) {
		return new Report(year, this.sales.sum(year));
	}

	record Report(int year, long sum) {

	}

}
