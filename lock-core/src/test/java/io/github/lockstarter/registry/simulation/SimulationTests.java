package io.github.lockstarter.registry.simulation;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.registry.simulation.Simulation.Outcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * Runs the engine from seeds, with a model of its environment.
 */
@DisplayName("In a simulation of several processes, a network and a store that fail in every way")
class SimulationTests {

	private static final Log logger = LogFactory.getLog(SimulationTests.class);

	private static final int SECONDS = Integer.getInteger("simulation.seconds", 10);

	@BeforeAll
	static void hush() {
		Campaign.hush();
	}

	@AfterAll
	static void unhush() {
		Campaign.unhush();
	}

	@Test
	@DisplayName("the invariants hold in the same 300 schedules each time")
	void fixedSeeds() {
		AtomicLong seeds = new AtomicLong();
		assertHolds(new Campaign().run(seeds::incrementAndGet, 300, 300));
	}

	@Test
	@DisplayName("the invariants hold in new schedules, for as many seconds as -Dsimulation.seconds says")
	void newSeeds() {
		SplittableRandom seeds = new SplittableRandom();
		Campaign campaign = new Campaign().run(() -> seeds.nextLong(Long.MAX_VALUE), Integer.MAX_VALUE, SECONDS);
		assertHolds(campaign);
		assertThat(campaign.schedules()).isPositive();
	}

	@Test
	@DisplayName("one seed gives one schedule, to the letter; -Dsimulation.seed prints it")
	void replay() {
		Long seed = Long.getLong("simulation.seed");
		LongStream seeds = (seed != null) ? LongStream.of(seed) : LongStream.rangeClosed(1, 20);
		seeds.forEach((each) -> {
			Outcome outcome = Simulation.run(each, true);
			if (seed != null) {
				outcome.trace().forEach(logger::info);
			}
			Outcome again = Simulation.run(each, true);
			assertThat(again.trace()).isEqualTo(outcome.trace());
			assertThat(again.fingerprint()).isEqualTo(outcome.fingerprint());
			assertThat(Simulation.run(each, false).fingerprint()).isEqualTo(outcome.fingerprint());
			if (outcome.violation() != null) {
				fail(Campaign.describe(outcome), outcome.violation());
			}
		});
	}

	private static void assertHolds(Campaign campaign) {
		logger.info(campaign);
		if (campaign.failed() != null) {
			fail(Campaign.describe(campaign.failed()));
		}
	}

}
