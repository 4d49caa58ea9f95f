package io.github.lockstarter.benchmarks.workload;

/**
 * Keys that nobody else takes, one after the other.
 */
final class Keys {

	/** Enough that no key is taken again soon, and few enough to leave no mountain. */
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
