package io.github.lockstarter.store.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The arguments of script calls.
 */
class ScriptArgsTests {

	@ParameterizedTest
	@CsvSource({ "ACQUIRE, 1, 0", "RELEASE, 3, 2", "BATCH, 10, 12", "RENEW, 256, 255", "HAND_OVER, 1001, 1" })
	@DisplayName("A call of a script is encoded as the driver encodes it, by digest and with the text")
	void writesAsTheDriverDoes(Script script, int keys, int args) {
		ScriptArgs byDigest = new ScriptArgs(script, texts("key", keys), texts("", args));
		assertIsEncodedLike(CommandType.EVALSHA, byDigest, arguments(script.digest(), keys, args));
		assertIsEncodedLike(CommandType.EVAL, byDigest.withText(), arguments(script.text(), keys, args));
	}

	private static void assertIsEncodedLike(CommandType type, ScriptArgs written,
			CommandArgs<byte[], byte[]> expected) {
		assertThat(encoded((buffer) -> written.encode(type, buffer)))
			.isEqualTo(encoded(new Command<>(type, new IntegerOutput<>(ByteArrayCodec.INSTANCE), expected)::encode));
		assertThat(ByteBuffer.wrap(written.firstKey())).isEqualTo(expected.getFirstEncodedKey());
	}

	private static CommandArgs<byte[], byte[]> arguments(String script, int keys, int args) {
		return new CommandArgs<>(ByteArrayCodec.INSTANCE).add(script)
			.add(keys)
			.addKeys(texts("key", keys))
			.addValues(texts("", args));
	}

	private static byte[][] texts(String prefix, int count) {
		return IntStream.range(0, count)
			.mapToObj((i) -> (prefix + "x".repeat(i % 300)).getBytes(StandardCharsets.UTF_8))
			.toArray(byte[][]::new);
	}

	private static String encoded(Consumer<ByteBuf> encoder) {
		ByteBuf buffer = Unpooled.buffer();
		encoder.accept(buffer);
		return buffer.toString(StandardCharsets.ISO_8859_1);
	}

}
