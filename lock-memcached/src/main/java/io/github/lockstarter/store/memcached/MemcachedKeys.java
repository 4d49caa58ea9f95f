package io.github.lockstarter.store.memcached;

import org.springframework.util.Assert;

import io.github.lockstarter.LockKey;

/**
 * The keys of locks in memcached, which accepts 250 bytes without spaces and control
 * characters: {@code lock:registration:taro}, or a digest of name and key.
 */
final class MemcachedKeys {

	/** The limit of memcached. */
	private static final int LONGEST_KEY = 250;

	/** The name for digests of keys, which can be any constant. */
	private static final String ANY = "lock";

	private final String prefix;

	/** Longer keys are replaced by their digest. */
	private final int longestPlainKey;

	MemcachedKeys(String prefix) {
		Assert.isTrue(prefix.matches("[!-9;-~]{1,100}"),
				"A prefix must have 1 to 100 visible ASCII characters, without a colon");
		this.prefix = prefix + ":";
		this.longestPlainKey = LONGEST_KEY - this.prefix.length();
	}

	String of(LockKey key) {
		// A name contains no colon, so that the text is unambiguous.
		String text = key.name() + ":" + key.key();
		boolean visible = text.length() <= this.longestPlainKey
				&& text.chars().allMatch((each) -> each > ' ' && each < 127);
		return this.prefix + (visible ? new LockKey(ANY, text).storeForm(this.longestPlainKey)
				: LockKey.ofDigest(ANY, text).key());
	}

}
