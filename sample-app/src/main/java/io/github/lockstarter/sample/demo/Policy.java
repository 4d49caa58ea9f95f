package io.github.lockstarter.sample.demo;

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
			"@ExclusiveRequest(name = \"demo\", key = \"#userName\", onConflict = SKIP)", ""),

	PAYMENT("Locks in Redis", "A retry pays again if the instance is killed after the commit.",
			"@ExclusiveRequest(name = \"payment\", key = \"#userName\", onConflict = WAIT, waitTime = \"1m\", replay = \"1h\") @Transactional",
			"waits for the lock"),

	PAYMENT_IN_DATABASE("Locks in the database", "The response is committed with the payment, so a retry gets it.",
			"@ExclusiveRequest(name = \"payment-in-database\", key = \"#userName\", onConflict = WAIT, waitTime = \"1m\", replay = \"1h\") @Transactional",
			"waits for the lock");

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

	/** Returns those that the form offers. */
	static List<Policy> offered() {
		return List.of(REJECT, WAIT, SHARE, REPLAY, SKIP);
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

	/** Returns whether its requests make payments; others register users. */
	boolean pays() {
		return this == PAYMENT || this == PAYMENT_IN_DATABASE;
	}

	/** Returns whether a later request gets the response of an earlier one. */
	boolean replays() {
		return this == REPLAY || pays();
	}

	/** Returns the table of what its requests make. */
	String table() {
		return pays() ? "payment" : "users";
	}

	/** Returns what is counted in the database. */
	public String rows() {
		return pays() ? "Payments" : "Users";
	}

	/** The handler that has this annotation. */
	String path() {
		return "/demo/" + style();
	}

	/** Identifies it in addresses and in the page. */
	String style() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
