package io.github.lockstarter.faults.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Results of the independent checker for hand-written histories.
 */
class CheckerTests {

	private static final String DRIVER = """
			1 3 clock one.1 2
			1 3 clock two.1 2
			900 900 stopped
			""";

	private static final String ONE = """
			10 20 granted 1 a 5
			30 31 held 1
			90 91 held 1
			95 96 released 1
			97 98 not-held 1
			900 900 stopped
			""";

	private static final String TWO = """
			50 150 granted 1 a 6
			160 161 held 1
			190 191 held 1
			195 196 released 1
			900 900 stopped
			""";

	@TempDir
	private Path directory;

	@Test
	@DisplayName("No violation: consecutive holders with growing tokens, and the events are counted")
	void clean() throws IOException {
		Checker result = check(DRIVER + "200 210 fault freeze-worker two.1\n", ONE + """
				250 350 rejected a
				250 260 unknown a LockStoreException
				280 500 granted 2 a 8
				501 502 held 2
				503 504 released 2
				""", TWO + """
				300 400 granted 2 a 7
				401 402 not-held 2
				403 404 released 2
				""");
		assertThat(result.exitCode()).as(result.output()).isZero();
		assertThat(result.output()).contains("4 grants of 1 keys to 2 workers", "seen held 5 times",
				"1 leases lost, 1 rejections, 1 errors", "1 faults: 1 freeze-worker", "0 violations");
	}

	@Test
	@DisplayName("Violation: one holder sees itself hold the lock between two such observations of another")
	void overlap() throws IOException {
		String two = TWO.replace("160 161 held", "80 81 held");
		assertViolation(check(DRIVER, ONE, two), "a: two leases were held at once", "one.1.log:3: 90 91 held 1",
				"two.1.log:2: 80 81 held 1");
	}

	@Test
	@DisplayName("Violation: a single observation as holder between two observations of another")
	void overlapOfAnInstant() throws IOException {
		String two = """
				40 50 granted 1 a 6
				60 61 held 1
				70 71 released 1
				900 900 stopped
				""";
		assertViolation(check(DRIVER, ONE, two), "a: two leases were held at once");
	}

	@Test
	@DisplayName("No violation: an observation that took so long that the order of the holders is unknown")
	void undecided() throws IOException {
		Checker result = check(DRIVER, ONE.replace("90 91 held", "90 300 held").replace("95 96", "301 302"), TWO);
		assertThat(result.exitCode()).as(result.output()).isZero();
	}

	@Test
	@DisplayName("Violation: a holder with a smaller token than an earlier holder")
	void tokenOfHolder() throws IOException {
		assertViolation(check(DRIVER, ONE, TWO.replace("a 6", "a 4")), "a: a later holder has a smaller token");
	}

	@Test
	@DisplayName("Violation: a grant with a smaller token than one that was granted before its acquisition began")
	void tokenOfGrant() throws IOException {
		String two = """
				50 150 granted 1 a 4
				195 196 released 1
				900 900 stopped
				""";
		assertViolation(check(DRIVER, ONE, two), "a: a later grant has a smaller token");
	}

	@Test
	@DisplayName("Violation: two grants with the same token")
	void sameToken() throws IOException {
		assertViolation(check(DRIVER, ONE, TWO.replace("a 6", "a 5")), "a: two grants have one token");
	}

	@Test
	@DisplayName("Violation: a lease that is held after its end or after its release")
	void revived() throws IOException {
		assertViolation(check(DRIVER, ONE + "100 101 held 1\n", TWO), "a lease was held after its end");
		assertViolation(check(DRIVER, ONE, TWO + "200 201 held 1\n"), "a lease was held after its end");
	}

	@Test
	@DisplayName("Violation: a grant without an end, unless the process was killed")
	void noEnd() throws IOException {
		String two = TWO.replace("195 196 released 1\n", "");
		assertViolation(check(DRIVER, ONE, two), "a: a grant has no end");
		String killed = two.replace("900 900 stopped\n", "198 19");
		Checker result = check(DRIVER + "100 110 fault kill-worker two.1\n", ONE, killed);
		assertThat(result.output()).doesNotContain("no end", "did not end", "not a history");
	}

	@Test
	@DisplayName("Violation: a process that ended, or still waits for an answer, without being killed")
	void notStopped() throws IOException {
		assertViolation(check(DRIVER, ONE, TWO.replace("900 900 stopped\n", "")),
				"two.1 was not killed, and did not end");
	}

	@Test
	@DisplayName("Violation: after a fault, a key is not granted again, or a worker gets no grant")
	void noProgress() throws IOException {
		Checker result = check(DRIVER + "110 120 fault cut-link one.1\n", ONE, TWO);
		assertViolation(result, "one: no grant within 60 s after a fault");
		assertThat(result.output()).doesNotContain("a: no grant", "two: no grant");
		String late = ONE + "130 60000000321 granted 2 a 7\n60000000330 60000000331 released 2\n";
		assertViolation(check(DRIVER + "160 170 fault cut-link one.1\n", late, TWO), "a: no grant within 60 s",
				"one: no grant within 60 s", "two: no grant within 60 s");
	}

	@Test
	@DisplayName("Violation: a process whose clock differs, or was not compared")
	void clock() throws IOException {
		assertViolation(check(DRIVER.replace("two.1 2", "two.1 777"), ONE, TWO), "a process has another clock");
		assertViolation(check(DRIVER.replace("1 3 clock two.1 2\n", ""), ONE, TWO),
				"two.1 was not asked for its clock");
	}

	@Test
	@DisplayName("Violation: an unreadable history, or one without grants")
	void unreadable() throws IOException {
		assertViolation(check(DRIVER, ONE, TWO + "200 201 hold 1\n"), "not a history", "two.1.log:6: 200 201 hold 1");
		assertViolation(check(DRIVER, ONE, TWO + "200 201 held 7\n"), "not a history");
		assertViolation(check(DRIVER, "900 900 stopped\n", "900 900 stopped\n"), "nothing was granted");
	}

	private static void assertViolation(Checker result, String... texts) {
		assertThat(result.exitCode()).as(result.output()).isEqualTo(1);
		assertThat(result.output()).contains(texts);
	}

	private Checker check(String driver, String one, String two) throws IOException {
		Files.writeString(this.directory.resolve("driver.log"), driver);
		Files.writeString(this.directory.resolve("one.1.log"), one);
		Files.writeString(this.directory.resolve("two.1.log"), two);
		return Checker.check(this.directory);
	}

}
