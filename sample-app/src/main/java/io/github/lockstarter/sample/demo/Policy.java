package io.github.lockstarter.sample.demo;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The policy for a request while another one for the same user name runs.
 */
enum Policy {

	UNGUARDED("No lock", "All run.", "no annotation", ""),

	REJECT("Reject", "One runs, the others are rejected with 409.",
			"@ExclusiveRequest(name = \"demo\", key = \"#userName\")", ""),

	WAIT("Wait", "They run one after another.",
			"@ExclusiveRequest(name = \"demo\", key = \"#userName\", onConflict = WAIT, waitTime = \"1m\")",
			"waits for the lock"),

	SHARE("Share", "One runs, and the others get its response.",
			"@ExclusiveRequest(name = \"demo\", key = \"#userName\", onConflict = SHARE, waitTime = \"1m\")",
			"waits for the response of the request that runs"),

	REPLAY("Replay", "One runs, and later retries get its response.",
			"@ExclusiveRequest(name = \"demo\", key = \"#userName\", replay = \"1h\")", ""),

	SKIP("Skip", "One runs, the others do nothing.",
			"@ExclusiveRequest(name = \"demo\", key = \"#userName\", onConflict = SKIP)", "");

	private final String label;

	private final String effect;

	private final String annotation;

	private final String waitsFor;

	Policy(String label, String effect, String annotation, String waitsFor) {
		this.label = label;
		this.effect = effect;
		this.annotation = annotation;
		this.waitsFor = waitsFor;
	}

	/** Returns those with a lock. */
	static List<Policy> guarded() {
		return Arrays.stream(values()).filter((each) -> each != UNGUARDED).toList();
	}

	public String label() {
		return this.label;
	}

	public String effect() {
		return this.effect;
	}

	public String annotation() {
		return this.annotation;
	}

	/** What a request waits for while another one runs; empty if it does not wait. */
	public String waitsFor() {
		return this.waitsFor;
	}

	/** The handler that has this annotation. */
	String path() {
		return "/demo/" + name().toLowerCase(Locale.ROOT);
	}

}
