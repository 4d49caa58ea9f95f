package io.github.lockstarter.test.example;

import org.springframework.stereotype.Service;

import io.github.lockstarter.Lease;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

@Service
class Reports {

	/** Writes a report until it is complete, or the lock is lost. */
	@ExclusiveRequest(name = "reports", key = "#team")
	String write(String team, Lease lease) {
		while (lease.isHeld()) {
			Thread.onSpinWait();
		}
		return "incomplete";
	}

	@ExclusiveRequest(name = "reports", key = "#team", onConflict = OnConflict.WAIT, waitTime = "1m")
	String read(String team) {
		return "report of " + team;
	}

}
