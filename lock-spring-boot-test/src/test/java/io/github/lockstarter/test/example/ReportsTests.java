package io.github.lockstarter.test.example;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import io.github.lockstarter.test.AutoConfigureLocks;
import io.github.lockstarter.test.OtherHolder;
import io.github.lockstarter.test.TestLockRegistry;

import static io.github.lockstarter.test.LockAssertions.assertThat;
import static java.util.concurrent.CompletableFuture.supplyAsync;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@SpringBootTest
@AutoConfigureLocks
class ReportsTests {

	@Autowired
	Reports reports;

	@Autowired
	TestLockRegistry locks;

	@Test
	@DisplayName("A report is not completed after its lock was lost")
	void endsWhenItsLockIsLost() {
		CompletableFuture<String> report = supplyAsync(() -> this.reports.write("blue", null));
		await().untilAsserted(() -> assertThat(this.locks).isHeld("reports:blue"));
		this.locks.lose("reports:blue");
		assertThat(report).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("incomplete");
	}

	@Test
	@DisplayName("A reader waits for a report that another instance writes")
	void waitsForTheOtherInstance() {
		OtherHolder other = this.locks.heldElsewhere("reports:blue");
		CompletableFuture<String> report = supplyAsync(() -> this.reports.read("blue"));
		await().untilAsserted(() -> assertThat(this.locks).hasWaiters("reports:blue", 1));
		other.close();
		assertThat(report).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("report of blue");
	}

}
