package io.github.lockstarter.web.servlet;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BooleanSupplier;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.util.Assert;
import org.springframework.util.StringUtils;

import io.github.lockstarter.completion.RequestCompletion;
import io.github.lockstarter.result.ResponseHead;
import io.github.lockstarter.result.SharedResult.Response;
import io.github.lockstarter.web.RelativeLocations;

/**
 * A response that is kept for later duplicates, if leases are held for that when it is
 * written. Otherwise it has no effect.
 */
final class RecordedServletResponse extends HttpServletResponseWrapper {

	private static final String ATTRIBUTE = RecordedServletResponse.class.getName();

	private static final byte[] NO_BODY = {};

	private static final String REDIRECTED = "A redirect has been sent";

	private final HttpServletRequest request;

	private final long maxSize;

	/** The request as the handler sees it: filters may know the host of a proxy. */
	private HttpServletRequest handled;

	private @Nullable Copy copy;

	private @Nullable CopiedStream stream;

	private @Nullable PrintWriter writer;

	private @Nullable CopiedWriter copiedWriter;

	private @Nullable Response errorPage;

	/** The redirect that is sent when it has been stored. */
	private @Nullable Redirect redirect;

	private boolean redirectSent;

	/** The locale that has been set, as a view does. */
	private @Nullable Locale locale;

	/** The response to another request, which is sent instead. */
	private @Nullable Response replayed;

	/** What the container has inserted into URLs to identify a session. */
	private final Set<String> sessions = new HashSet<>();

	/** Whether something may have been written that is not recorded. */
	private boolean opened;

	private boolean forwarded;

	/** Whether the application has encoded the content. */
	private boolean encoded;

	/** Whether somebody may write to the original stream or writer. */
	private boolean originalGiven;

	private RecordedServletResponse(HttpServletRequest request, HttpServletResponse response, long maxSize) {
		super(response);
		this.request = request;
		this.handled = request;
		this.maxSize = maxSize;
	}

	/** Returns the response to the request, if responses are recorded. */
	static @Nullable RecordedServletResponse of(HttpServletRequest request) {
		return (request.getAttribute(ATTRIBUTE) instanceof RecordedServletResponse recorded) ? recorded : null;
	}

	/**
	 * Returns the response to the request, which is recorded from now on.
	 * @param maxSize the largest number of bytes to record
	 */
	static RecordedServletResponse of(HttpServletRequest request, HttpServletResponse response, long maxSize) {
		RecordedServletResponse recorded = new RecordedServletResponse(request, response, maxSize);
		request.setAttribute(ATTRIBUTE, recorded);
		return recorded;
	}

	private @Nullable RequestCompletion end() {
		return (this.request.getAttribute(RequestCompletion.ATTRIBUTE) instanceof RequestCompletion end) ? end : null;
	}

	/**
	 * Marks the end of the handling of the request, whose response has been written.
	 * Unless the response is too large to be kept, the lock is released before the client
	 * receives it.
	 * @throws IOException if the response cannot be sent
	 */
	void handled() throws IOException {
		if (this.copiedWriter != null) {
			this.copiedWriter.encode();
		}
		if (this.redirect != null && this.redirect.clearBuffer()) {
			clear();
		}
		try {
			end(this.errorPage);
		}
		finally {
			sendReplayed();
			if (this.stream != null) {
				this.stream.passOn();
			}
			if (this.copiedWriter != null) {
				this.copiedWriter.passOn();
			}
			// Handling ends again when the container has dispatched the request.
			if (this.redirect != null && !this.redirectSent) {
				this.redirectSent = true;
				this.redirect.sending().send();
			}
		}
	}

	/**
	 * Replaces the response with that to another request. Filters inside of this response
	 * have changed that one already, so what they write is discarded.
	 */
	void replay(Response response) {
		this.replayed = response;
	}

	private void sendReplayed() {
		Response response = this.replayed;
		if (response == null || isCommitted()) {
			return;
		}
		super.resetBuffer();
		HttpServletResponse original = (HttpServletResponse) getResponse();
		if (original.containsHeader(HttpHeaders.CONTENT_ENCODING)) {
			original.setHeader(HttpHeaders.CONTENT_ENCODING, null);
		}
		ReplayedResponseResolver.sendTo(original, response);
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
		if (end.awaitsResponse()) {
			Response sent = (byErrorPage != null) ? byErrorPage : sent();
			if (HttpMethod.HEAD.matches(this.request.getMethod())) {
				end.dropResponses();
			}
			else if (sent == null) {
				end.responseLost("It was partly written before it was recorded", getStatus());
			}
			else if (isForOneClient() && sent.body() != null && !sent.isRedirect()) {
				end.responseLost("It may contain the identifier of a session, which the container writes into URLs",
						sent.status());
			}
			else {
				end.responded(sent).toCompletableFuture().join();
			}
		}
		end.reached();
	}

	private @Nullable Response sent() {
		if (this.opened) {
			return null;
		}
		return Response.withBody(ResponseHead.of(getStatus(), (name) -> values(name, this)),
				(this.copy != null) ? this.copy.toByteArray() : NO_BODY);
	}

	/** Records the response for the request, as its handler sees it. */
	void handledFor(HttpServletRequest request) {
		this.handled = request;
		this.forwarded |= request.getDispatcherType() == DispatcherType.FORWARD;
	}

	/** Marks that the handler may write to the original response. */
	void bypassed() {
		this.opened = true;
	}

	/** Marks that the container ends the response together with a forward. */
	void forwarded() {
		this.forwarded = true;
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
		if (name.equals(HttpHeaders.CONTENT_ENCODING) && !this.encoded) {
			// The container compresses what it sends, and not what is recorded.
			return null;
		}
		if (name.equals(HttpHeaders.LOCATION) && this.redirect != null) {
			return List.of(location(this.redirect.location()));
		}
		Locale locale = this.locale;
		if (name.equals(HttpHeaders.CONTENT_LANGUAGE) && locale != null && !response.containsHeader(name)) {
			// The container sets the header when it sends the response.
			return List.of(locale.toLanguageTag());
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
		return RelativeLocations.relative(location, this.handled.getScheme(), this.handled.getServerName(),
				this.handled.getServerPort());
	}

	@Override
	public void setHeader(String name, String value) {
		this.encoded |= name.equalsIgnoreCase(HttpHeaders.CONTENT_ENCODING);
		super.setHeader(name, value);
	}

	@Override
	public void addHeader(String name, String value) {
		this.encoded |= name.equalsIgnoreCase(HttpHeaders.CONTENT_ENCODING);
		super.addHeader(name, value);
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
		if (this.copy == null && end != null && end.mayAwaitResponse() && !isCommitted()) {
			this.copy = new Copy(this.maxSize);
		}
		this.originalGiven |= this.copy == null;
		this.opened |= this.copy == null;
		return this.copy;
	}

	/** Returns whether everything that is written from now on is discarded. */
	private boolean isDecided() {
		return this.replayed != null || this.redirect != null;
	}

	@Override
	public ServletOutputStream getOutputStream() throws IOException {
		if (isDecided()) {
			return new DetachedResponse(this).getOutputStream();
		}
		Copy copy = copy();
		if (copy == null) {
			return super.getOutputStream();
		}
		if (this.stream == null) {
			this.stream = new CopiedStream(super.getOutputStream(), copy, () -> isHeldBack(copy),
					() -> isWrittenToEnd(copy));
		}
		return this.stream;
	}

	@Override
	public PrintWriter getWriter() throws IOException {
		if (isDecided()) {
			return new PrintWriter(Writer.nullWriter());
		}
		Copy copy = copy();
		if (copy == null) {
			return super.getWriter();
		}
		if (this.writer == null) {
			PrintWriter original = super.getWriter();
			this.copiedWriter = new CopiedWriter(original, new OutputStreamWriter(copy, getCharacterEncoding()),
					() -> isHeldBack(copy), () -> isWrittenToEnd(copy));
			this.writer = new PrintWriter(this.copiedWriter);
		}
		return this.writer;
	}

	/**
	 * Returns whether what is written is held back until the response has been stored:
	 * otherwise the client could have the whole response while the lock is held. A
	 * container sends a response as soon as it has the length that was announced. What
	 * other threads write is not, since they may complete the request.
	 */
	private boolean isHeldBack(Copy copy) {
		RequestCompletion end = end();
		return this.redirect != null || (end != null && end.awaitsResponse() && !copy.isFull() && mayBeHeldBack());
	}

	private boolean mayBeHeldBack() {
		return !this.forwarded && !this.request.isAsyncStarted();
	}

	/**
	 * Returns whether the response is written to its end, even if its client has
	 * disconnected. It may be kept, and the client may retry. Or a writer that fails
	 * would be a failure of the work, which a retry would repeat.
	 */
	private boolean isWrittenToEnd(Copy copy) {
		RequestCompletion end = end();
		return end != null && ((end.mayAwaitResponse() && !copy.isFull()) || end.finishesWork());
	}

	@Override
	public void flushBuffer() throws IOException {
		if (!isDecided() && ((this.copy != null) ? !isHeldBack(this.copy) : !mayAwaitResponse())) {
			super.flushBuffer();
		}
	}

	/**
	 * Returns whether a response without a body may have to be stored before it is sent.
	 */
	private boolean mayAwaitResponse() {
		RequestCompletion end = end();
		return end != null && end.mayAwaitResponse() && mayBeHeldBack();
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
		this.opened = this.originalGiven;
		if (this.stream != null) {
			this.stream.clear();
		}
		if (this.copiedWriter != null) {
			this.copiedWriter.clear();
		}
		if (this.copy != null) {
			this.copy.reset();
		}
	}

	@Override
	public void setLocale(@Nullable Locale locale) {
		super.setLocale(locale);
		if (!isCommitted()) {
			this.locale = locale;
		}
	}

	@Override
	public int getStatus() {
		return (this.redirect != null) ? this.redirect.status() : super.getStatus();
	}

	@Override
	public boolean isCommitted() {
		return this.redirect != null || super.isCommitted();
	}

	@Override
	public void sendRedirect(String location) throws IOException {
		redirect(new Redirect(location, SC_FOUND, true, () -> super.sendRedirect(location)));
	}

	@Override
	public void sendRedirect(String location, boolean clearBuffer) throws IOException {
		redirect(new Redirect(location, SC_FOUND, clearBuffer, () -> super.sendRedirect(location, clearBuffer)));
	}

	@Override
	public void sendRedirect(String location, int status) throws IOException {
		redirect(new Redirect(location, status, true, () -> super.sendRedirect(location, status)));
	}

	@Override
	public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
		redirect(new Redirect(location, status, clearBuffer, () -> super.sendRedirect(location, status, clearBuffer)));
	}

	/**
	 * Some containers send a redirect at once, but it has to be stored before. It is sent
	 * as it was asked for: other filters may replace the location in only one way.
	 */
	private void redirect(Redirect asked) throws IOException {
		if (!isDecided() && !isCommitted() && mayAwaitResponse()) {
			this.redirect = asked;
		}
		else {
			asked.sending().send();
		}
	}

	@Override
	public void sendError(int status) throws IOException {
		Assert.state(this.redirect == null, REDIRECTED);
		this.errorPage = Response.byErrorPage(status, null);
		clear();
		super.sendError(status);
	}

	@Override
	public void sendError(int status, String message) throws IOException {
		Assert.state(this.redirect == null, REDIRECTED);
		this.errorPage = Response.byErrorPage(status, StringUtils.hasLength(message) ? message : null);
		clear();
		super.sendError(status, message);
	}

	/** A redirect to a location. */
	private record Redirect(String location, int status, boolean clearBuffer, Sending sending) {
	}

	private interface Sending {

		void send() throws IOException;

	}

	/** The first bytes, up to one more than may be kept. */
	private static final class Copy extends ByteArrayOutputStream {

		private final long limit;

		Copy(long maxSize) {
			this.limit = Math.min(maxSize, Integer.MAX_VALUE - 16) + 1;
		}

		/** Returns whether more has been written than may be kept. */
		synchronized boolean isFull() {
			return this.count == this.limit;
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

		private final BooleanSupplier writtenToEnd;

		private final ByteArrayOutputStream held = new ByteArrayOutputStream();

		/** What happened when the client had disconnected. */
		private @Nullable IOException failure;

		CopiedStream(ServletOutputStream stream, Copy copy, BooleanSupplier heldBack, BooleanSupplier writtenToEnd) {
			this.stream = stream;
			this.copy = copy;
			this.heldBack = heldBack;
			this.writtenToEnd = writtenToEnd;
		}

		@Override
		public void write(int value) throws IOException {
			write(new byte[] { (byte) value }, 0, 1);
		}

		@Override
		public void write(byte[] bytes, int offset, int length) throws IOException {
			this.copy.write(bytes, offset, length);
			this.held.write(bytes, offset, length);
			if (!this.heldBack.getAsBoolean()) {
				passOn();
				failUnlessWrittenToEnd();
			}
		}

		/** Passes on what has been held back. */
		void passOn() {
			try {
				if (this.failure == null) {
					this.held.writeTo(this.stream);
				}
			}
			catch (IOException ex) {
				this.failure = ex;
			}
			clear();
		}

		/** Nobody needs the rest of a response that nobody gets. */
		private void failUnlessWrittenToEnd() throws IOException {
			if (this.failure != null && !this.writtenToEnd.getAsBoolean()) {
				throw new IOException("The client has disconnected", this.failure);
			}
		}

		void clear() {
			this.held.reset();
		}

		@Override
		public void flush() throws IOException {
			if (this.heldBack.getAsBoolean()) {
				return;
			}
			passOn();
			try {
				if (this.failure == null) {
					this.stream.flush();
				}
			}
			catch (IOException ex) {
				this.failure = ex;
			}
			failUnlessWrittenToEnd();
		}

		@Override
		public void close() throws IOException {
			if (!this.heldBack.getAsBoolean()) {
				this.stream.close();
			}
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

	private static final class CopiedWriter extends Writer {

		private final PrintWriter writer;

		/** Writes the characters to the copy. */
		private final Writer encoder;

		private final BooleanSupplier heldBack;

		private final BooleanSupplier writtenToEnd;

		private final StringBuilder held = new StringBuilder();

		CopiedWriter(PrintWriter writer, Writer encoder, BooleanSupplier heldBack, BooleanSupplier writtenToEnd) {
			this.writer = writer;
			this.encoder = encoder;
			this.heldBack = heldBack;
			this.writtenToEnd = writtenToEnd;
		}

		@Override
		public void write(char[] characters, int offset, int length) throws IOException {
			this.encoder.write(characters, offset, length);
			this.held.append(characters, offset, length);
			if (!this.heldBack.getAsBoolean()) {
				passOn();
			}
		}

		/** Writes all characters to the copy. */
		void encode() throws IOException {
			this.encoder.flush();
		}

		/** Passes on what has been held back. */
		void passOn() throws IOException {
			this.writer.append(this.held);
			this.held.setLength(0);
		}

		void clear() {
			try {
				encode();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			this.held.setLength(0);
		}

		@Override
		public void flush() throws IOException {
			encode();
			if (!this.heldBack.getAsBoolean()) {
				passOn();
				if (this.writer.checkError() && !this.writtenToEnd.getAsBoolean()) {
					throw new IOException("The client has disconnected");
				}
			}
		}

		@Override
		public void close() throws IOException {
			flush();
			if (!this.heldBack.getAsBoolean()) {
				this.writer.close();
			}
		}

	}

}
