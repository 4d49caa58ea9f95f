package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;

/**
 * The channel for messages about released locks, and the format of its messages: the name
 * of the instance that need not be notified, if any, a space, and the lock.
 */
final class ReleaseChannel {

	private static final byte[] NOTHING = {};

	private final byte[] name;

	private final byte[] instance = bytes(UUID.randomUUID().toString());

	private final byte[] echo = messageToOthers(NOTHING);

	ReleaseChannel(String name) {
		this.name = bytes(name);
	}

	byte[] name() {
		return this.name;
	}

	/** Returns the name of this instance of the application in the channel. */
	byte[] instance() {
		return this.instance;
	}

	/** Returns the message for a release of the lock. */
	byte[] message(byte[] lock) {
		return join(NOTHING, lock);
	}

	/**
	 * Returns the message for a release of the lock for instances other than this one.
	 */
	byte[] messageToOthers(byte[] lock) {
		return join(this.instance, lock);
	}

	private static byte[] join(byte[] instance, byte[] lock) {
		byte[] message = Arrays.copyOf(instance, instance.length + 1 + lock.length);
		message[instance.length] = ' ';
		System.arraycopy(lock, 0, message, instance.length + 1, lock.length);
		return message;
	}

	/** Returns a message that only this instance processes. */
	byte[] echo() {
		return this.echo;
	}

	/** Returns whether this instance has sent the message to others. */
	boolean isOwn(byte[] message) {
		int length = this.instance.length;
		return message.length >= length && Arrays.equals(message, 0, length, this.instance, 0, length);
	}

	/** Returns the lock that was released. */
	byte[] lock(byte[] message) {
		for (int i = 0; i < message.length; i++) {
			if (message[i] == ' ') {
				return Arrays.copyOfRange(message, i + 1, message.length);
			}
		}
		return message;
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
