package io.github.lockstarter.store.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * The arguments of a script call, written without conversion. The driver would create
 * several objects for each argument.
 */
final class ScriptArgs extends CommandArgs<byte[], byte[]> {

	private final Script script;

	/** The digest of the script, or its text. */
	private final String sent;

	private final byte[][] keys;

	private final byte[][] args;

	/**
	 * Creates arguments with the digest of the script.
	 * @param keys at least one
	 */
	ScriptArgs(Script script, byte[][] keys, byte[][] args) {
		this(script, script.digest(), keys, args);
	}

	private ScriptArgs(Script script, String sent, byte[][] keys, byte[][] args) {
		super(ByteArrayCodec.INSTANCE);
		this.script = script;
		this.sent = sent;
		this.keys = keys;
		this.args = args;
		// The driver selects the server of a cluster by this key.
		addKey(keys[0]);
	}

	/** Returns the same arguments with the text of the script. */
	ScriptArgs withText() {
		return new ScriptArgs(this.script, this.script.text(), this.keys, this.args);
	}

	@Override
	public int count() {
		return 2 + this.keys.length + this.args.length;
	}

	@Override
	public void encode(ByteBuf buffer) {
		writeLength(buffer, ByteBufUtil.utf8Bytes(this.sent));
		ByteBufUtil.writeUtf8(buffer, this.sent);
		endLine(buffer);
		writeLength(buffer, digits(this.keys.length));
		writeNumber(buffer, this.keys.length);
		endLine(buffer);
		for (byte[] key : this.keys) {
			write(buffer, key);
		}
		for (byte[] arg : this.args) {
			write(buffer, arg);
		}
	}

	private static void write(ByteBuf buffer, byte[] argument) {
		writeLength(buffer, argument.length);
		buffer.writeBytes(argument);
		endLine(buffer);
	}

	private static void writeLength(ByteBuf buffer, int length) {
		buffer.writeByte('$');
		writeNumber(buffer, length);
		endLine(buffer);
	}

	private static void writeNumber(ByteBuf buffer, int number) {
		if (number >= 10) {
			writeNumber(buffer, number / 10);
		}
		buffer.writeByte('0' + number % 10);
	}

	private static int digits(int number) {
		return (number < 10) ? 1 : 1 + digits(number / 10);
	}

	private static void endLine(ByteBuf buffer) {
		buffer.writeByte('\r').writeByte('\n');
	}

}
