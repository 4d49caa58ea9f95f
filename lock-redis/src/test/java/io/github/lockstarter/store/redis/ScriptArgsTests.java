package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
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
	@CsvSource({ "return 1, 1, 0", "return 1, 3, 2", "return '\u00e9\u20ac', 10, 12", "'', 100, 99", "x, 1001, 1" })
	@DisplayName("The arguments of a script are encoded as the driver encodes them, and counted")
	void writesAsTheDriverDoes(String script, int keys, int args) {
		ScriptArgs written = new ScriptArgs(script, texts("key", keys), texts("", args));
		CommandArgs<byte[], byte[]> expected = new CommandArgs<>(ByteArrayCodec.INSTANCE).add(script)
			.add(keys)
			.addKeys(texts("key", keys))
			.addValues(texts("", args));
		assertThat(encoded(written)).isEqualTo(encoded(expected));
		assertThat(written.count()).isEqualTo(expected.count());
		assertThat(written.getFirstEncodedKey()).isEqualTo(expected.getFirstEncodedKey());
	}

	private static byte[][] texts(String prefix, int count) {
		return IntStream.range(0, count)
			.mapToObj((i) -> (prefix + "x".repeat(i % 120)).getBytes(StandardCharsets.UTF_8))
			.toArray(byte[][]::new);
	}

	private static String encoded(CommandArgs<byte[], byte[]> args) {
		ByteBuf buffer = Unpooled.buffer();
		args.encode(buffer);
		return buffer.toString(StandardCharsets.ISO_8859_1);
	}

}
