package io.github.lockstarter.store.jdbc;

import io.github.lockstarter.LockKey;

/**
 * The row of a lock.
 *
 * @param lock the lock
 * @param key the key of the row: visible ASCII characters, because databases differ in
 * the treatment and comparison of other characters
 */
record LockRow(LockKey lock, String key) {

	/** Longer keys, and unprintable ones, are replaced by their digest. */
	private static final int LONGEST_PLAIN_KEY = 200;

	/** The name for digests of keys, which can be any constant. */
	private static final String ANY = "lock";

	static LockRow of(LockKey lock) {
		return new LockRow(lock, visible(lock.name() + ":" + lock.key()));
	}

	/**
	 * Returns the text, or its digest if it is too long or has characters other than
	 * visible ASCII.
	 */
	static String visible(String text) {
		boolean visible = text.length() <= LONGEST_PLAIN_KEY
				&& text.chars().allMatch((each) -> each > ' ' && each < 127);
		return visible ? new LockKey(ANY, text).storeForm(LONGEST_PLAIN_KEY) : LockKey.ofDigest(ANY, text).key();
	}

}
