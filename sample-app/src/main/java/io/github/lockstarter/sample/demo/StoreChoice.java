package io.github.lockstarter.sample.demo;

import java.util.Locale;

/**
 * The possible stores of the locks. The store is chosen when an instance is started.
 */
enum StoreChoice {

	REDIS("Redis", "One store for all instances. The first instance starts it if none is running."),

	JDBC("The database of the users", "One store for all instances, without Redis."),

	MEMORY("The memory of each instance", "Each instance has locks of its own: two instances make two users.");

	private final String label;

	private final String effect;

	StoreChoice(String label, String effect) {
		this.label = label;
		this.effect = effect;
	}

	public String label() {
		return this.label;
	}

	public String effect() {
		return this.effect;
	}

	/** Returns whether it has the given name, in any spelling. */
	public boolean is(String store) {
		return name().equalsIgnoreCase(store);
	}

	/** Returns the command line option that starts an instance with it. */
	public String option() {
		return "--lock.store=" + name().toLowerCase(Locale.ROOT);
	}

}
