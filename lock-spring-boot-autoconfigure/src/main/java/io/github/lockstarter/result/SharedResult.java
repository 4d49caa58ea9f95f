package io.github.lockstarter.result;

import java.util.Base64;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * The result of one call, as received by other callers.
 */
public sealed interface SharedResult {

	/**
	 * The value that the method returned, or with which its work ended.
	 *
	 * @param value the value, or a list of values if there are many
	 * @param response the status and headers that the handler has set on the response
	 * itself
	 */
	record Returned(@Nullable Object value, ResponseHead response) implements SharedResult {
	}

	/**
	 * The answer to the request, if the returned value does not determine it: the method
	 * failed, or its result was the name of a view.
	 *
	 * @param response the status, which is always set, and the headers
	 * @param body the body in Base64; {@code null} if the application's error page writes
	 * it
	 * @param reason the message that was passed to the error page; {@code null} if there
	 * is no such page or message
	 */
	record Answered(ResponseHead response, @Nullable String body, @Nullable String reason) implements SharedResult {

		/** Returns an answer with a body. */
		public static Answered withBody(ResponseHead response, byte[] body) {
			return new Answered(response, Base64.getEncoder().encodeToString(body), null);
		}

		/** Returns an answer that the application's error page writes. */
		public static Answered byErrorPage(int status, @Nullable String reason) {
			return new Answered(new ResponseHead(status, ResponseHead.EMPTY.headers()), null, reason);
		}

		/** Returns the status. */
		public int status() {
			Integer status = this.response.status();
			return (status != null) ? status : 500;
		}

		/** Returns whether the answer is a redirect, so that its body is irrelevant. */
		public boolean isRedirect() {
			return status() / 100 == 3 && this.response.headers().containsKey(HttpHeaders.LOCATION);
		}

		/** Returns the body; {@code null} if the application's error page writes it. */
		public byte @Nullable [] bytes() {
			return (this.body != null) ? Base64.getDecoder().decode(this.body) : null;
		}

	}

}
