package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;

/**
 * The arguments of a script call, written without conversion. The driver would create
 * several objects for each argument.
 */
final class ScriptArgs {

	private static final int END_OF_LINE = '\r' << 8 | '\n';

	/** Numbers below this one are converted once, and not for each argument. */
	private static final int CONVERTED = 256;

	private static final byte[][] NUMBERS = converted(ScriptArgs::number);

	private static final byte[][] LENGTHS = converted(ScriptArgs::length);

	private static final Map<Script, byte[]> DIGESTS = new EnumMap<>(Stream.of(Script.values())
		.collect(Collectors.toMap(Function.identity(), (script) -> bytes(script.digest()))));

	private final Script script;

	/** The digest of the script, or its text. */
	private final byte[] sent;

	private final byte[][] keys;

	private final byte[][] args;

	/**
	 * Creates arguments with the digest of the script.
	 * @param keys at least one
	 */
	ScriptArgs(Script script, byte[][] keys, byte[][] args) {
		this(script, Objects.requireNonNull(DIGESTS.get(script)), keys, args);
	}

	private ScriptArgs(Script script, byte[] sent, byte[][] keys, byte[][] args) {
		this.script = script;
		this.sent = sent;
		this.keys = keys;
		this.args = args;
	}

	/** Returns the same arguments with the text of the script. */
	ScriptArgs withText() {
		return new ScriptArgs(this.script, this.script.text().getBytes(StandardCharsets.UTF_8), this.keys, this.args);
	}

	/**
	 * Returns what the driver reads: the first key, by which it selects the server of a
	 * cluster.
	 */
	CommandArgs<byte[], byte[]> forDriver() {
		return new CommandArgs<>(ByteArrayCodec.INSTANCE).addKey(this.keys[0]);
	}

	/** Writes the command with these arguments. */
	void encode(ProtocolKeyword command, ByteBuf buffer) {
		int keys = this.keys.length;
		buffer.writeByte('*');
		buffer.writeBytes(converted(3 + keys + this.args.length));
		buffer.writeShort(END_OF_LINE);
		write(buffer, command.getBytes());
		write(buffer, this.sent);
		write(buffer, converted(keys));
		for (byte[] key : this.keys) {
			write(buffer, key);
		}
		for (byte[] arg : this.args) {
			write(buffer, arg);
		}
	}

	private static void write(ByteBuf buffer, byte[] argument) {
		int length = argument.length;
		buffer.writeBytes((length < CONVERTED) ? LENGTHS[length] : length(length));
		buffer.writeBytes(argument);
		buffer.writeShort(END_OF_LINE);
	}

	private static byte[] converted(int number) {
		return (number < CONVERTED) ? NUMBERS[number] : number(number);
	}

	private static byte[] length(int length) {
		return bytes("$" + length + "\r\n");
	}

	private static byte[] number(int number) {
		return bytes(Integer.toString(number));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

	private static byte[][] converted(IntFunction<byte[]> conversion) {
		return IntStream.range(0, CONVERTED).mapToObj(conversion).toArray(byte[][]::new);
	}

}
