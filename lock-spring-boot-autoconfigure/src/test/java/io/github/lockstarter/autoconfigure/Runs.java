package io.github.lockstarter.autoconfigure;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.lockstarter.testing.Jobs;
import io.github.lockstarter.testing.Jobs.Job;

/**
 * Counts the runs of handlers by key, and keeps the job of each run.
 */
class Runs {

	private final Jobs jobs = new Jobs();

	private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();

	/** Called by a handler at the beginning of a run. */
	Run next(String key) {
		int number = this.counts.computeIfAbsent(key, (each) -> new AtomicInteger()).incrementAndGet();
		return new Run(number, job(key, number));
	}

	/** Returns the number of runs that have begun. */
	int count(String key) {
		AtomicInteger count = this.counts.get(key);
		return (count != null) ? count.get() : 0;
	}

	/** Returns the job of a run; the first run is 1. */
	Job job(String key, int number) {
		return this.jobs.get(key + " " + number);
	}

	/**
	 * One run.
	 *
	 * @param number which one
	 * @param job its work
	 */
	record Run(int number, Job job) {

		/**
		 * Runs the whole job on this thread, and returns a text with the number of the
		 * run.
		 */
		String run() {
			return this.job.run() + " " + this.number;
		}

	}

}
