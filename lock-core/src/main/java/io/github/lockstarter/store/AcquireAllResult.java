package io.github.lockstarter.store;

import java.util.List;

import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;

/**
 * A store's answer to {@link GroupLockStore#acquireAll}.
 */
public sealed interface AcquireAllResult {

	/**
	 * All locks were free and are granted.
	 *
	 * @param grants one for each lock, in the order of the acquisitions
	 */
	record AllGranted(List<Granted> grants) implements AcquireAllResult {

		public AllGranted {
			grants = List.copyOf(grants);
		}

	}

	/**
	 * Another owner holds one of the locks, and none is granted.
	 *
	 * @param index the position of the first lock that is held
	 * @param held the remaining time and the fencing token of its holder
	 */
	record FirstHeld(int index, Held held) implements AcquireAllResult {
	}

}
