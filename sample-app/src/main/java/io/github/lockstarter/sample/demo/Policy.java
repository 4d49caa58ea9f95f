package io.github.lockstarter.sample.demo;

import java.util.Locale;

/**
 * The policy for a request while another one for the same user name runs.
 */
enum Policy {

	UNGUARDED("Unguarded", "No annotation: all run.", "no annotation"),

	REJECT("Reject", "One runs, the others are refused with 409.",
			"@ExclusiveRequest(name = \"demo\", key = \"#userName\")"),

	WAIT("Wait", "They run one after another.",
			"@ExclusiveRequest(name = \"demo\", key = \"#userName\", onConflict = WAIT)"),

	SHARE("Share", "One runs, and all get its answer.",
			"@ExclusiveRequest(name = \"demo\", key = \"#userName\", onConflict = SHARE)");

	private final String label;

	private final String effect;

	private final String annotation;

	Policy(String label, String effect, String annotation) {
		this.label = label;
		this.effect = effect;
		this.annotation = annotation;
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

	/** Returns the path of the handler with this policy. */
	String path() {
		return "/demo/" + name().toLowerCase(Locale.ROOT);
	}

}
