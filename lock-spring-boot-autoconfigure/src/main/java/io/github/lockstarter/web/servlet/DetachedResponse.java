package io.github.lockstarter.web.servlet;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.util.StringUtils;

/**
 * A response that is kept apart from the one that it may become: status, headers and body
 * reach that one only when it is {@linkplain #send() sent}. Until then, headers that it
 * lacks are those of the other.
 */
final class DetachedResponse extends HttpServletResponseWrapper {

	private final ByteArrayOutputStream body = new ByteArrayOutputStream();

	private final HttpHeaders headers = new HttpHeaders();

	private final List<Cookie> cookies = new ArrayList<>();

	private final ServletOutputStream stream = new BodyStream(this.body);

	private @Nullable PrintWriter writer;

	private @Nullable Integer status;

	private @Nullable String encoding;

	private @Nullable Locale locale;

	private boolean error;

	DetachedResponse(HttpServletResponse response) {
		super(response);
	}

	/** Returns whether it is an error that the error page of the application writes. */
	boolean isError() {
		return this.error;
	}

	/** Returns the bytes of the body. */
	byte[] body() {
		if (this.writer != null) {
			this.writer.flush();
		}
		return this.body.toByteArray();
	}

	/**
	 * Sends the response.
	 * @throws IOException if the client has disconnected
	 */
	void send() throws IOException {
		HttpServletResponse response = (HttpServletResponse) getResponse();
		if (this.status != null) {
			response.setStatus(this.status);
		}
		if (this.locale != null) {
			response.setLocale(this.locale);
		}
		this.headers.forEach((name, values) -> {
			response.setHeader(name, values.get(0));
			values.stream().skip(1).forEach((value) -> response.addHeader(name, value));
		});
		if (this.encoding != null) {
			response.setCharacterEncoding(this.encoding);
		}
		this.cookies.forEach(response::addCookie);
		byte[] bytes = body();
		if (bytes.length > 0) {
			response.getOutputStream().write(bytes);
		}
	}

	@Override
	public void setStatus(int status) {
		this.status = status;
	}

	@Override
	public int getStatus() {
		return (this.status != null) ? this.status : super.getStatus();
	}

	@Override
	public void sendError(int status) {
		this.error = true;
	}

	@Override
	public void sendError(int status, String message) {
		this.error = true;
	}

	@Override
	public void sendRedirect(String location) {
		sendRedirect(location, SC_FOUND, true);
	}

	@Override
	public void sendRedirect(String location, boolean clearBuffer) {
		sendRedirect(location, SC_FOUND, clearBuffer);
	}

	@Override
	public void sendRedirect(String location, int status) {
		sendRedirect(location, status, true);
	}

	@Override
	public void sendRedirect(String location, int status, boolean clearBuffer) {
		if (clearBuffer) {
			resetBuffer();
		}
		setStatus(status);
		setHeader(HttpHeaders.LOCATION, location);
	}

	@Override
	public void setHeader(String name, @Nullable String value) {
		if (value == null) {
			this.headers.remove(name);
		}
		else {
			this.headers.set(name, value);
		}
	}

	@Override
	public void addHeader(String name, String value) {
		if (!this.headers.containsHeader(name) && !isSingle(name)) {
			super.getHeaders(name).forEach((known) -> this.headers.add(name, known));
		}
		this.headers.add(name, value);
	}

	private static boolean isSingle(String name) {
		return name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE) || name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH);
	}

	@Override
	public void setIntHeader(String name, int value) {
		setHeader(name, Integer.toString(value));
	}

	@Override
	public void addIntHeader(String name, int value) {
		addHeader(name, Integer.toString(value));
	}

	@Override
	public void setDateHeader(String name, long date) {
		this.headers.setDate(name, date);
	}

	@Override
	public void addDateHeader(String name, long date) {
		HttpHeaders one = new HttpHeaders();
		one.setDate(name, date);
		addHeader(name, String.valueOf(one.getFirst(name)));
	}

	@Override
	public boolean containsHeader(String name) {
		return this.headers.containsHeader(name) || super.containsHeader(name);
	}

	@Override
	public @Nullable String getHeader(String name) {
		return this.headers.containsHeader(name) ? this.headers.getFirst(name) : super.getHeader(name);
	}

	@Override
	public Collection<String> getHeaders(String name) {
		List<String> own = this.headers.get(name);
		return (own != null) ? own : super.getHeaders(name);
	}

	@Override
	public Collection<String> getHeaderNames() {
		Set<String> names = new LinkedHashSet<>(super.getHeaderNames());
		names.addAll(this.headers.headerNames());
		return names;
	}

	@Override
	public void setContentType(@Nullable String type) {
		setHeader(HttpHeaders.CONTENT_TYPE, type);
	}

	@Override
	public @Nullable String getContentType() {
		String type = this.headers.containsHeader(HttpHeaders.CONTENT_TYPE)
				? this.headers.getFirst(HttpHeaders.CONTENT_TYPE) : super.getContentType();
		return (type != null && this.encoding != null && !type.toLowerCase(Locale.ROOT).contains("charset="))
				? type + ";charset=" + this.encoding : type;
	}

	@Override
	public void setCharacterEncoding(@Nullable String encoding) {
		this.encoding = encoding;
	}

	@Override
	public String getCharacterEncoding() {
		if (this.encoding != null) {
			return this.encoding;
		}
		String type = this.headers.getFirst(HttpHeaders.CONTENT_TYPE);
		Charset declared = StringUtils.hasText(type) ? MediaType.parseMediaType(type).getCharset() : null;
		return (declared != null) ? declared.name() : super.getCharacterEncoding();
	}

	@Override
	public void setContentLength(int length) {
		setContentLengthLong(length);
	}

	@Override
	public void setContentLengthLong(long length) {
		setHeader(HttpHeaders.CONTENT_LENGTH, Long.toString(length));
	}

	@Override
	public void setLocale(Locale locale) {
		this.locale = locale;
	}

	@Override
	public Locale getLocale() {
		return (this.locale != null) ? this.locale : super.getLocale();
	}

	@Override
	public void addCookie(Cookie cookie) {
		this.cookies.add(cookie);
	}

	@Override
	public ServletOutputStream getOutputStream() {
		return this.stream;
	}

	@Override
	public PrintWriter getWriter() throws IOException {
		if (this.writer == null) {
			this.writer = new PrintWriter(new OutputStreamWriter(this.body, getCharacterEncoding()));
		}
		return this.writer;
	}

	@Override
	public void flushBuffer() {
	}

	@Override
	public boolean isCommitted() {
		return false;
	}

	@Override
	public void reset() {
		resetBuffer();
		this.headers.clear();
		this.status = null;
	}

	@Override
	public void resetBuffer() {
		body();
		this.body.reset();
	}

	private static final class BodyStream extends ServletOutputStream {

		private final ByteArrayOutputStream body;

		BodyStream(ByteArrayOutputStream body) {
			this.body = body;
		}

		@Override
		public void write(int value) {
			this.body.write(value);
		}

		@Override
		public void write(byte[] bytes, int offset, int length) {
			this.body.write(bytes, offset, length);
		}

		@Override
		public boolean isReady() {
			return true;
		}

		@Override
		public void setWriteListener(WriteListener listener) {
			throw new UnsupportedOperationException("It is written at once");
		}

	}

}
