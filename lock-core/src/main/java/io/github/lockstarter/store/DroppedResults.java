package io.github.lockstarter.store;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Counts and logs results that a store does not keep for their whole time, because it has
 * reached its limit: a later duplicate then runs again, which must not be silent.
 */
public final class DroppedResults {

	private static final Log logger = LogFactory.getLog(DroppedResults.class);

	private final Consumer<String> counter;

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	/**
	 * Creates a record of dropped results.
	 * @param counter counts one, by the name of the lock
	 */
	public DroppedResults(Consumer<String> counter) {
		this.counter = counter;
	}

	/**
	 * Counts a dropped result. Logs a warning for the first one of each lock name.
	 * @param lockName the name of the lock
	 * @param limit the limit that was reached, and how it is raised
	 */
	public void add(String lockName, String limit) {
		this.counter.accept(lockName);
		if (this.warned.add(lockName)) {
			logger.warn(
					"A stored result of lock '%s' was dropped before its time, because %s. A later duplicate runs again. Only the first one for each lock name is logged; lock.results with outcome=result-dropped counts all."
						.formatted(lockName, limit));
		}
	}

}
