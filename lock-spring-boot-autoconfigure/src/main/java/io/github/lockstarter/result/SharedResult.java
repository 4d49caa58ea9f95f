package io.github.lockstarter.result;

import java.util.Base64;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * The result of one call, as received by other callers.
 */
public sealed interface SharedResult {

	/**
	 * The value that a method returned, or with which its work ended.
	 *
	 * @param value the value, or a list of values if there are many
	 */
	record Value(@Nullable Object value) implements SharedResult {
	}

	/**
	 * The response to the request of a handler, as it was sent.
	 *
	 * @param head the status, which is always set, and the headers
	 * @param body the body in Base64; {@code null} if the application's error page writes
	 * it
	 * @param reason the message that was passed to the error page; {@code null} if there
	 * is no such page or message
	 */
	record Response(ResponseHead head, @Nullable String body, @Nullable String reason) implements SharedResult {

		/** Returns a response with a body. */
		public static Response withBody(ResponseHead head, byte[] body) {
			return new Response(head, Base64.getEncoder().encodeToString(body), null);
		}

		/** Returns a response that the application's error page writes. */
		public static Response byErrorPage(int status, @Nullable String reason) {
			return new Response(new ResponseHead(status, ResponseHead.EMPTY.headers()), null, reason);
		}

		/** Returns the status. */
		public int status() {
			Integer status = this.head.status();
			return (status != null) ? status : 500;
		}

		/** Returns whether it is a redirect, so that its body is irrelevant. */
		public boolean isRedirect() {
			return status() / 100 == 3 && this.head.headers().containsKey(HttpHeaders.LOCATION);
		}

		/** Returns the body; {@code null} if the application's error page writes it. */
		public byte @Nullable [] bytes() {
			return (this.body != null) ? Base64.getDecoder().decode(this.body) : null;
		}

	}

}
