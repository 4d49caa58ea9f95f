package io.github.lockstarter.web.servlet;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import jakarta.servlet.ReadListener;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

import io.github.lockstarter.key.RequestContent;
import io.github.lockstarter.web.FormParameters;

/**
 * A request whose body can be compared with that of another one, before or after it is
 * read. It is outside of all filters, which may read the body, too. Only what is read
 * through it is recorded: containers read forms and parts themselves.
 */
final class RecordedServletRequest extends HttpServletRequestWrapper {

	private static final String ATTRIBUTE = RecordedServletRequest.class.getName();

	private static final int BUFFER_SIZE = 8192;

	private final long maxSize;

	private @Nullable RecordedStream stream;

	private @Nullable BufferedReader reader;

	/** Whether somebody may ask for the body, as it is until the handler is known. */
	private boolean wanted = true;

	/** Whether the body is read without being recorded. */
	private boolean lost;

	private @Nullable RequestContent content;

	/** The parameters, if the container cannot read those of a form any more. */
	private @Nullable Map<String, String[]> parameters;

	/** Whether these parameters cannot be decoded. */
	private boolean malformed;

	private RecordedServletRequest(HttpServletRequest request, long maxSize) {
		super(request);
		this.maxSize = maxSize;
	}

	/** Returns the recorded request behind a request, if there is one. */
	static @Nullable RecordedServletRequest of(HttpServletRequest request) {
		return (request.getAttribute(ATTRIBUTE) instanceof RecordedServletRequest recorded) ? recorded : null;
	}

	/**
	 * Returns the request, whose body is recorded from now on.
	 * @param maxSize the largest number of bytes to record
	 */
	static HttpServletRequest record(HttpServletRequest request, long maxSize) {
		RecordedServletRequest recorded = new RecordedServletRequest(request, maxSize);
		request.setAttribute(ATTRIBUTE, recorded);
		return recorded;
	}

	/**
	 * Returns the whole body, and reads what has not been read. It can still be read by
	 * others.
	 * @return {@code null} if it is too large
	 * @throws IOException if the client has disconnected
	 */
	byte @Nullable [] body() throws IOException {
		return (getContentLengthLong() > this.maxSize) ? null : stream().all();
	}

	/**
	 * Returns the parameters of the query and of the form that is the body, whoever reads
	 * it: the container may have read it for its parameters, others may have read the
	 * body, or will do either.
	 * @return {@code null} if the form is too large, or has too many parameters
	 * @throws IOException if the client has disconnected
	 */
	@Nullable Map<String, List<String>> form() throws IOException {
		boolean opened = this.stream != null;
		byte[] body = body();
		if (body == null) {
			return null;
		}
		// The body is empty if the container has read it, which has the parameters then.
		Map<String, List<String>> query = new LinkedHashMap<>();
		super.getParameterMap().forEach((name, values) -> query.put(name, List.of(values)));
		FormParameters form = FormParameters.of(query, body, formCharset());
		if (form == null) {
			return null;
		}
		if (!opened && HttpMethod.POST.matches(getMethod())) {
			// The container would have read it, and cannot any more.
			Map<String, String[]> parameters = new LinkedHashMap<>();
			form.all().forEach((name, values) -> parameters.put(name, values.toArray(String[]::new)));
			this.parameters = parameters;
			this.malformed = form.isMalformed();
		}
		return form.all();
	}

	private Charset formCharset() {
		String encoding = getCharacterEncoding();
		try {
			return (encoding != null) ? Charset.forName(encoding) : StandardCharsets.UTF_8;
		}
		catch (IllegalArgumentException ex) {
			// The container may refuse it.
			return StandardCharsets.UTF_8;
		}
	}

	/** Returns whether a part of the body has been read without being recorded. */
	boolean isLost() {
		return this.lost || (this.stream != null && this.stream.lost);
	}

	/** Returns the content of the request, if it has been read. */
	@Nullable RequestContent content() {
		return this.content;
	}

	void keep(RequestContent content) {
		this.content = content;
	}

	/**
	 * Sets whether anybody will ask for the body, now that the handler is known.
	 */
	void setWanted(boolean wanted) {
		this.wanted = wanted;
		if (this.stream != null && !wanted) {
			this.stream.drop();
		}
	}

	private RecordedStream stream() throws IOException {
		if (this.stream == null) {
			this.stream = new RecordedStream(super.getInputStream(), this.maxSize);
		}
		return this.stream;
	}

	/** Notices when the request is forwarded. */
	@Override
	public @Nullable RequestDispatcher getRequestDispatcher(String path) {
		RequestDispatcher dispatcher = super.getRequestDispatcher(path);
		return (dispatcher != null) ? new Forwarding(dispatcher) : null;
	}

	@Override
	public ServletInputStream getInputStream() throws IOException {
		if (this.stream != null || this.wanted) {
			return stream();
		}
		this.lost = true;
		return super.getInputStream();
	}

	@Override
	public BufferedReader getReader() throws IOException {
		if (this.stream == null && !this.wanted) {
			this.lost = true;
			return super.getReader();
		}
		if (this.reader == null) {
			String encoding = getCharacterEncoding();
			this.reader = new BufferedReader(new InputStreamReader(stream(),
					(encoding != null) ? Charset.forName(encoding) : StandardCharsets.ISO_8859_1));
		}
		return this.reader;
	}

	@Override
	public @Nullable String getParameter(String name) {
		Map<String, String[]> read = read();
		if (read == null) {
			return super.getParameter(name);
		}
		String[] values = read.get(name);
		return (values != null) ? values[0] : null;
	}

	@Override
	public String @Nullable [] getParameterValues(String name) {
		Map<String, String[]> read = read();
		return (read != null) ? read.get(name) : super.getParameterValues(name);
	}

	@Override
	public Map<String, String[]> getParameterMap() {
		Map<String, String[]> read = read();
		return (read != null) ? Collections.unmodifiableMap(read) : super.getParameterMap();
	}

	@Override
	public Enumeration<String> getParameterNames() {
		Map<String, String[]> read = read();
		return (read != null) ? Collections.enumeration(read.keySet()) : super.getParameterNames();
	}

	/**
	 * Returns the parameters that have been read instead of the container.
	 * @throws ResponseStatusException if they cannot be decoded; a handler that does not
	 * need them does not fail
	 */
	private @Nullable Map<String, String[]> read() {
		if (this.malformed) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "The form cannot be decoded");
		}
		return this.parameters;
	}

	/** Containers end the response with a forward, so nothing of it is held back. */
	private record Forwarding(RequestDispatcher dispatcher) implements RequestDispatcher {

		@Override
		public void forward(ServletRequest request, ServletResponse response) throws ServletException, IOException {
			RecordedServletResponse recorded = (request instanceof HttpServletRequest http)
					? RecordedServletResponse.of(http) : null;
			if (recorded != null) {
				recorded.forwarded();
			}
			this.dispatcher.forward(request, response);
		}

		@Override
		public void include(ServletRequest request, ServletResponse response) throws ServletException, IOException {
			this.dispatcher.include(request, response);
		}

	}

	/** A stream that keeps what is read, and may have read more than its reader. */
	private static final class RecordedStream extends ServletInputStream {

		private final ServletInputStream stream;

		private final long maxSize;

		private final ByteArrayOutputStream read = new ByteArrayOutputStream();

		/** What has been read ahead of the reader; {@code null} if nothing has. */
		private byte @Nullable [] ahead;

		private int position;

		private boolean tooLarge;

		private boolean lost;

		RecordedStream(ServletInputStream stream, long maxSize) {
			this.stream = stream;
			this.maxSize = maxSize;
		}

		/**
		 * Records nothing more, and forgets what was recorded, unless it is to be read.
		 */
		void drop() {
			if (this.ahead == null) {
				this.lost = true;
				this.read.reset();
			}
		}

		/** What has been read of a body that is too large is not read again. */
		byte @Nullable [] all() throws IOException {
			if (this.ahead == null) {
				this.position = this.read.size();
				byte[] buffer = new byte[BUFFER_SIZE];
				for (int count = 0; count >= 0 && !this.tooLarge; count = this.stream.read(buffer)) {
					record(buffer, 0, count);
				}
				this.ahead = this.tooLarge ? null : this.read.toByteArray();
			}
			return this.ahead;
		}

		private void record(byte[] bytes, int offset, int count) {
			if (this.read.size() + count > this.maxSize) {
				this.tooLarge = true;
				this.read.reset();
			}
			else if (!this.tooLarge) {
				this.read.write(bytes, offset, count);
			}
		}

		@Override
		public int read() throws IOException {
			byte[] one = new byte[1];
			return (read(one, 0, 1) == 1) ? one[0] & 0xff : -1;
		}

		@Override
		public int read(byte[] target, int offset, int length) throws IOException {
			byte[] all = this.ahead;
			if (all != null) {
				int count = Math.min(length, all.length - this.position);
				System.arraycopy(all, this.position, target, offset, count);
				this.position += count;
				return (count > 0 || length == 0) ? count : -1;
			}
			int count = this.stream.read(target, offset, length);
			if (count > 0 && !this.lost) {
				record(target, offset, count);
			}
			return count;
		}

		@Override
		public int available() throws IOException {
			return (this.ahead != null) ? this.ahead.length - this.position : this.stream.available();
		}

		@Override
		public boolean isFinished() {
			return (this.ahead != null) ? this.position == this.ahead.length : this.stream.isFinished();
		}

		@Override
		public boolean isReady() {
			return this.ahead != null || this.stream.isReady();
		}

		@Override
		public void setReadListener(ReadListener listener) {
			this.stream.setReadListener(listener);
		}

	}

}
