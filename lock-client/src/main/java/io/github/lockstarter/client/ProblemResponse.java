package io.github.lockstarter.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/**
 * A response whose problem detail has been read, and can be read again by the caller.
 */
final class ProblemResponse implements ClientHttpResponse {

	/** A problem detail of a lock is shorter. */
	private static final int LONGEST = 64 * 1024;

	private final ClientHttpResponse response;

	private final byte[] start;

	private final InputStream body;

	private ProblemResponse(ClientHttpResponse response) throws IOException {
		this.response = response;
		this.start = response.getBody().readNBytes(LONGEST);
		this.body = new SequenceInputStream(new ByteArrayInputStream(this.start), response.getBody());
	}

	/**
	 * Reads the problem detail.
	 * @throws IOException if the body is incomplete; the response is then closed
	 */
	static ProblemResponse read(ClientHttpResponse response) throws IOException {
		try {
			return new ProblemResponse(response);
		}
		catch (IOException ex) {
			response.close();
			throw ex;
		}
	}

	/** Returns the body, or the start of one that is too long. */
	byte[] start() {
		return this.start;
	}

	@Override
	public HttpStatusCode getStatusCode() throws IOException {
		return this.response.getStatusCode();
	}

	@Override
	public String getStatusText() throws IOException {
		return this.response.getStatusText();
	}

	@Override
	public HttpHeaders getHeaders() {
		return this.response.getHeaders();
	}

	@Override
	public InputStream getBody() {
		return this.body;
	}

	@Override
	public void close() {
		this.response.close();
	}

}
