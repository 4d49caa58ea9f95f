package io.github.lockstarter.recipes;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

@Component
class NightlyReport {

	private final Reports reports;

	NightlyReport(Reports reports) {
		this.reports = reports;
	}

	@Scheduled(cron = "0 0 3 * * *")
	@ExclusiveRequest(name = "nightly-report", onConflict = OnConflict.SKIP, ttl = "1m", holdAtLeast = "30s")
	void write() {
		this.reports.writeYesterday();
	}

}
