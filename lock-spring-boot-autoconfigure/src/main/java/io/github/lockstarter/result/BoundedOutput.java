package io.github.lockstarter.result;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

import org.springframework.util.Assert;

/**
 * An output of text with a limit in bytes of UTF-8, so that no result is built that is
 * too large to be shared.
 */
final class BoundedOutput extends OutputStream {

	private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

	private final long limit;

	private boolean exceeded;

	BoundedOutput(long limit) {
		this.limit = limit;
	}

	boolean isExceeded() {
		return this.exceeded;
	}

	void write(String text) {
		byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
		write(encoded, 0, encoded.length);
	}

	@Override
	public void write(int value) {
		makeRoom(1);
		this.bytes.write(value);
	}

	@Override
	public void write(byte[] source, int offset, int length) {
		makeRoom(length);
		this.bytes.write(source, offset, length);
	}

	/** Returns an output with the remaining limit. */
	BoundedOutput rest() {
		return new BoundedOutput(this.limit - this.bytes.size());
	}

	/** Appends the other output, and exceeds the limit if the other one did. */
	void write(BoundedOutput other) {
		this.exceeded |= other.exceeded;
		this.bytes.writeBytes(other.bytes.toByteArray());
	}

	private void makeRoom(int length) {
		this.exceeded |= this.bytes.size() + (long) length > this.limit;
		Assert.state(!this.exceeded, "The limit is exceeded");
	}

	/** Returns the text. */
	@Override
	public String toString() {
		return this.bytes.toString(StandardCharsets.UTF_8);
	}

}
