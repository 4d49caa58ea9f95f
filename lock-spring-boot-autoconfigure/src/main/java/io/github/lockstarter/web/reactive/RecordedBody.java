package io.github.lockstarter.web.reactive;

import java.io.ByteArrayOutputStream;

import org.springframework.core.io.buffer.DataBuffer;

/**
 * The first bytes of the body of a response, up to one more than may be kept.
 */
final class RecordedBody {

	private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

	private final long limit;

	private boolean complete;

	/**
	 * Creates an empty body.
	 * @param maxSize the largest number of bytes that may be kept
	 */
	RecordedBody(long maxSize) {
		this.limit = maxSize + 1;
	}

	/** Adds the bytes of a buffer, which remain to be read. */
	synchronized void add(DataBuffer buffer) {
		int length = (int) Math.min(buffer.readableByteCount(), this.limit - this.bytes.size());
		byte[] part = new byte[length];
		int position = buffer.readPosition();
		buffer.read(part);
		buffer.readPosition(position);
		this.bytes.writeBytes(part);
	}

	/** Marks the end of the body. */
	synchronized void complete() {
		this.complete = true;
	}

	synchronized boolean isComplete() {
		return this.complete;
	}

	synchronized byte[] bytes() {
		return this.bytes.toByteArray();
	}

}
