package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;

/**
 * Writes a command in the protocol of Redis, without conversion. The driver would create
 * several objects for each argument.
 */
final class CommandEncoder {

	private static final int END_OF_LINE = '\r' << 8 | '\n';

	/** Numbers below this one are converted once, and not for each argument. */
	private static final int CONVERTED = 256;

	private static final byte[][] NUMBERS = converted(CommandEncoder::number);

	private static final byte[][] LENGTHS = converted(CommandEncoder::length);

	private CommandEncoder() {
	}

	/**
	 * Writes the beginning of a command.
	 * @param arguments the number of its arguments
	 */
	static void begin(ByteBuf buffer, ProtocolKeyword command, int arguments) {
		buffer.writeByte('*');
		buffer.writeBytes(converted(1 + arguments));
		buffer.writeShort(END_OF_LINE);
		write(buffer, command.getBytes());
	}

	static void write(ByteBuf buffer, byte[] argument) {
		int length = argument.length;
		buffer.writeBytes((length < CONVERTED) ? LENGTHS[length] : length(length));
		buffer.writeBytes(argument);
		buffer.writeShort(END_OF_LINE);
	}

	static void write(ByteBuf buffer, int argument) {
		write(buffer, converted(argument));
	}

	static void write(ByteBuf buffer, byte[][] arguments) {
		for (byte[] argument : arguments) {
			write(buffer, argument);
		}
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
