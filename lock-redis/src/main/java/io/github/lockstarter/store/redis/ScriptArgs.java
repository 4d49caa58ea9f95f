package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;

/** The arguments of a script call. */
final class ScriptArgs {

	private static final Map<Script, byte[]> DIGESTS = new EnumMap<>(Stream.of(Script.values())
		.collect(Collectors.toMap(Function.identity(),
				(script) -> script.digest().getBytes(StandardCharsets.US_ASCII))));

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

	byte[] firstKey() {
		return this.keys[0];
	}

	/** Writes the command with these arguments. */
	void encode(ProtocolKeyword command, ByteBuf buffer) {
		CommandEncoder.begin(buffer, command, 2 + this.keys.length + this.args.length);
		CommandEncoder.write(buffer, this.sent);
		CommandEncoder.write(buffer, this.keys.length);
		CommandEncoder.write(buffer, this.keys);
		CommandEncoder.write(buffer, this.args);
	}

}
