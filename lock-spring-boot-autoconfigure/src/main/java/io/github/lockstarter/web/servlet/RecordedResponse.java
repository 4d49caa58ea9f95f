package io.github.lockstarter.web.servlet;

import java.io.ByteArrayOutputStream;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.util.StringUtils;

import io.github.lockstarter.completion.RequestCompletion;
import io.github.lockstarter.result.ResponseHead;
import io.github.lockstarter.result.SharedResult.Response;
import io.github.lockstarter.web.OwnLocations;

/**
 * A response whose answer is kept for later duplicates, if leases are held for that when
 * it is written. Otherwise it has no effect.
 */
final class RecordedResponse extends HttpServletResponseWrapper {

	private static final String ATTRIBUTE = RecordedResponse.class.getName();

	private static final byte[] NO_BODY = {};

	private final HttpServletRequest request;

	private final long maxSize;

	/** The request as the handler sees it: filters may know the host of a proxy. */
	private HttpServletRequest handled;

	private @Nullable Copy copy;

	private @Nullable ServletOutputStream stream;

	private @Nullable PrintWriter writer;

	/** Writes the characters of the writer to the copy. */
	private @Nullable Writer encoder;

	private @Nullable Response errorPage;

	/** What the container has inserted into URLs to identify a session. */
	private final Set<String> sessions = new HashSet<>();

	/** Whether something may have been written that is not recorded. */
	private boolean opened;

	private RecordedResponse(HttpServletRequest request, HttpServletResponse response, long maxSize) {
		super(response);
		this.request = request;
		this.handled = request;
		this.maxSize = maxSize;
	}

	/** Returns the response to the request, if answers are recorded. */
	static @Nullable RecordedResponse of(HttpServletRequest request) {
		return (request.getAttribute(ATTRIBUTE) instanceof RecordedResponse recorded) ? recorded : null;
	}

	/**
	 * Returns the response to the request, which is recorded from now on.
	 * @param maxSize the largest number of bytes to record
	 */
	static RecordedResponse of(HttpServletRequest request, HttpServletResponse response, long maxSize) {
		RecordedResponse recorded = new RecordedResponse(request, response, maxSize);
		request.setAttribute(ATTRIBUTE, recorded);
		return recorded;
	}

	private @Nullable RequestCompletion end() {
		return (this.request.getAttribute(RequestCompletion.ATTRIBUTE) instanceof RequestCompletion end) ? end : null;
	}

	/**
	 * Marks the end of the handling of the request, whose answer has been written. Unless
	 * the answer exceeds the buffer of the container, the lock is released before the
	 * client receives it.
	 */
	void handled() {
		flushCopy();
		end(this.errorPage);
	}

	/** The response itself is flushed by the container, after the lock is released. */
	private void flushCopy() {
		try {
			if (this.encoder != null) {
				this.encoder.flush();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Marks that the handling of the request failed, and that the error page follows. */
	void failed() {
		end(Response.byErrorPage(HttpStatus.INTERNAL_SERVER_ERROR.value(), null));
	}

	private void end(@Nullable Response byErrorPage) {
		// The handler of the error page is not recorded.
		this.request.removeAttribute(ATTRIBUTE);
		RequestCompletion end = end();
		if (end == null) {
			return;
		}
		if (end.awaitsAnswer()) {
			Response answer = (byErrorPage != null) ? byErrorPage : answer();
			if (answer == null) {
				end.answerLost("It was partly written before it was recorded");
			}
			else if (isForOneClient() && answer.body() != null && !answer.isRedirect()) {
				end.answerLost("It may contain the identifier of a session, which the container writes into URLs");
			}
			else {
				end.answered(answer).toCompletableFuture().join();
			}
		}
		end.reached();
	}

	private @Nullable Response answer() {
		if (this.opened) {
			return null;
		}
		return Response.withBody(ResponseHead.of(getStatus(), (name) -> values(name, this)),
				(this.copy != null) ? this.copy.toByteArray() : NO_BODY);
	}

	/** Records the response for the request, as its handler sees it. */
	void handledFor(HttpServletRequest request) {
		this.handled = request;
	}

	/** Returns whether something has been written. */
	boolean isWritten() {
		return this.opened || this.copy != null || isCommitted();
	}

	/**
	 * Returns whether the container has written the identifier of a session into a URL.
	 */
	boolean isForOneClient() {
		return !this.sessions.isEmpty();
	}

	/**
	 * Returns the values of a header that has been set on a response to the request, as
	 * they are kept for other clients.
	 */
	@Nullable List<String> values(String name, HttpServletResponse response) {
		if (name.equals(HttpHeaders.CONTENT_TYPE)) {
			String type = response.getContentType();
			return (type != null) ? List.of(type) : null;
		}
		return response.getHeaders(name)
			.stream()
			.map((value) -> name.equals(HttpHeaders.LOCATION) ? location(value) : value)
			.toList();
	}

	/**
	 * Returns a location without the identifier of a session, and without the host of the
	 * request, which the client chooses.
	 */
	private String location(String value) {
		String location = value;
		for (String session : this.sessions) {
			location = location.replace(session, "");
		}
		return OwnLocations.relative(location, this.handled.getServerName());
	}

	@Override
	public String encodeURL(String url) {
		return encoded(url, super.encodeURL(url));
	}

	@Override
	public String encodeRedirectURL(String url) {
		return encoded(url, super.encodeRedirectURL(url));
	}

	/** Remembers what the container has inserted. */
	private String encoded(String url, String encoded) {
		if (encoded.length() > url.length()) {
			int begin = 0;
			while (begin < url.length() && url.charAt(begin) == encoded.charAt(begin)) {
				begin++;
			}
			this.sessions.add(encoded.substring(begin, begin + encoded.length() - url.length()));
		}
		return encoded;
	}

	/**
	 * Returns a copy of the output from now on; {@code null} if no lease is held for
	 * that.
	 */
	private @Nullable Copy copy() {
		RequestCompletion end = end();
		if (this.copy == null && end != null && end.mayAwaitAnswer() && !isCommitted()) {
			this.copy = new Copy(this.maxSize);
		}
		this.opened |= this.copy == null;
		return this.copy;
	}

	@Override
	public ServletOutputStream getOutputStream() throws IOException {
		Copy copy = copy();
		if (copy == null) {
			return super.getOutputStream();
		}
		if (this.stream == null) {
			this.stream = new CopiedStream(super.getOutputStream(), copy, this::isHeldBack);
		}
		return this.stream;
	}

	@Override
	public PrintWriter getWriter() throws IOException {
		Copy copy = copy();
		if (copy == null) {
			return super.getWriter();
		}
		if (this.writer == null) {
			PrintWriter original = super.getWriter();
			Writer encoder = new OutputStreamWriter(copy, getCharacterEncoding());
			this.encoder = encoder;
			this.writer = new PrintWriter(new CopiedWriter(original, encoder, this::isHeldBack));
		}
		return this.writer;
	}

	/**
	 * Returns whether the rest of the answer is written before it is stored. The client
	 * would have it while the lock is held, so only the container flushes it.
	 */
	private boolean isHeldBack() {
		RequestCompletion end = end();
		return end != null && end.awaitsAnswer();
	}

	@Override
	public void flushBuffer() throws IOException {
		if (!isHeldBack()) {
			super.flushBuffer();
		}
	}

	@Override
	public void reset() {
		super.reset();
		clear();
	}

	@Override
	public void resetBuffer() {
		super.resetBuffer();
		clear();
	}

	/** A handler may continue to use the stream or the writer that it has. */
	private void clear() {
		this.opened = false;
		flushCopy();
		if (this.copy != null) {
			this.copy.reset();
		}
	}

	@Override
	public void sendError(int status) throws IOException {
		this.errorPage = Response.byErrorPage(status, null);
		super.sendError(status);
	}

	@Override
	public void sendError(int status, String message) throws IOException {
		this.errorPage = Response.byErrorPage(status, StringUtils.hasLength(message) ? message : null);
		super.sendError(status, message);
	}

	/** The first bytes, up to one more than may be kept. */
	private static final class Copy extends ByteArrayOutputStream {

		private final long limit;

		Copy(long maxSize) {
			this.limit = Math.min(maxSize, Integer.MAX_VALUE - 16) + 1;
		}

		@Override
		public synchronized void write(int value) {
			if (this.count < this.limit) {
				super.write(value);
			}
		}

		@Override
		public synchronized void write(byte[] bytes, int offset, int length) {
			super.write(bytes, offset, (int) Math.min(length, this.limit - this.count));
		}

	}

	private static final class CopiedStream extends ServletOutputStream {

		private final ServletOutputStream stream;

		private final Copy copy;

		private final BooleanSupplier heldBack;

		private boolean disconnected;

		CopiedStream(ServletOutputStream stream, Copy copy, BooleanSupplier heldBack) {
			this.stream = stream;
			this.copy = copy;
			this.heldBack = heldBack;
		}

		@Override
		public void write(int value) {
			write(new byte[] { (byte) value }, 0, 1);
		}

		/**
		 * The answer is kept even if its client has disconnected, because the client may
		 * retry.
		 */
		@Override
		public void write(byte[] bytes, int offset, int length) {
			this.copy.write(bytes, offset, length);
			try {
				if (!this.disconnected) {
					this.stream.write(bytes, offset, length);
				}
			}
			catch (IOException ex) {
				this.disconnected = true;
			}
		}

		@Override
		public void flush() {
			try {
				if (!this.disconnected && !this.heldBack.getAsBoolean()) {
					this.stream.flush();
				}
			}
			catch (IOException ex) {
				this.disconnected = true;
			}
		}

		@Override
		public void close() throws IOException {
			this.stream.close();
		}

		@Override
		public boolean isReady() {
			return this.stream.isReady();
		}

		@Override
		public void setWriteListener(WriteListener listener) {
			this.stream.setWriteListener(listener);
		}

	}

	private static final class CopiedWriter extends FilterWriter {

		private final Writer copy;

		private final BooleanSupplier heldBack;

		CopiedWriter(Writer writer, Writer copy, BooleanSupplier heldBack) {
			super(writer);
			this.copy = copy;
			this.heldBack = heldBack;
		}

		@Override
		public void write(int character) throws IOException {
			super.write(character);
			this.copy.write(character);
		}

		@Override
		public void write(char[] characters, int offset, int length) throws IOException {
			super.write(characters, offset, length);
			this.copy.write(characters, offset, length);
		}

		@Override
		public void write(String text, int offset, int length) throws IOException {
			super.write(text, offset, length);
			this.copy.write(text, offset, length);
		}

		@Override
		public void flush() throws IOException {
			this.copy.flush();
			if (!this.heldBack.getAsBoolean()) {
				super.flush();
			}
		}

	}

}
