package io.github.lockstarter.benchmarks.workload;

/**
 * Unique keys, one after the other.
 */
final class Keys {

	/**
	 * Enough keys that none is reused soon, and few enough to limit the remaining data.
	 */
	private static final int DISTINCT = 1024;

	private final String prefix;

	private int next;

	Keys(int thread) {
		this.prefix = thread + "-";
	}

	String next() {
		this.next = (this.next + 1) % DISTINCT;
		return this.prefix + this.next;
	}

}
