package io.github.lockstarter.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.support.HttpRequestWrapper;

/**
 * Repeats requests of a {@code RestClient} or {@code RestTemplate} that were rejected
 * temporarily, or whose response was lost. All attempts have the same
 * {@code Idempotency-Key}. A random key is added to a POST or PATCH request without that
 * header before the first attempt. <b>Use it only for APIs that support the header</b>:
 * any other API does the work again.
 * <table>
 * <caption>What is repeated</caption>
 * <tr>
 * <th>outcome</th>
 * <th>repeated</th>
 * </tr>
 * <tr>
 * <td>409 with a problem type that ends in {@code request-in-progress},
 * {@code wait-timeout} or {@code wait-queue-full}: nothing was done</td>
 * <td>yes</td>
 * </tr>
 * <tr>
 * <td>503; an {@link IOException}, such as a dropped connection or a read timeout</td>
 * <td>if the request has a key, or its method is idempotent</td>
 * </tr>
 * <tr>
 * <td>any response with {@code Idempotent-Replayed: true}: it is stored, and is the same
 * each time</td>
 * <td>no</td>
 * </tr>
 * <tr>
 * <td>409 with another type, in particular {@code lease-lost}: the work may have been
 * done</td>
 * <td>no</td>
 * </tr>
 * <tr>
 * <td>all other outcomes, in particular 400 and 422; a connection that breaks while the
 * caller reads the response</td>
 * <td>no</td>
 * </tr>
 * </table>
 * <p>
 * The thread of the caller waits before the next attempt. The delay is the
 * {@code retryAfterMillis} of the problem or the {@code Retry-After} of the response,
 * plus a random time. Without either, it is a random time that grows with each attempt. A
 * request is not repeated if the response asks for a longer delay than the
 * {@link RetryLimits} allow. The caller receives the response or the exception of the
 * last attempt. A thread that is interrupted while it waits throws
 * {@link InterruptedIOException}, and stays interrupted.
 * <p>
 * Without Jackson on the class path, no problem detail is read: a 409 is repeated if it
 * has {@code Retry-After}.
 * <p>
 * The bodies of requests are buffered in memory, as with every interceptor. Interceptors
 * that are added later are called for each attempt.
 *
 * @see IdempotentRetryFilter
 */
public final class IdempotentRetryInterceptor implements ClientHttpRequestInterceptor {

	private final Retries retries;

	private final Sleeper sleeper;

	/**
	 * Creates an interceptor with the {@linkplain RetryLimits#DEFAULT default limits}.
	 */
	public IdempotentRetryInterceptor() {
		this(RetryLimits.DEFAULT);
	}

	/**
	 * Creates an interceptor.
	 * @param limits the limits for the attempts of a request
	 */
	public IdempotentRetryInterceptor(RetryLimits limits) {
		this(Retries.within(limits), (delay) -> TimeUnit.NANOSECONDS.sleep(delay.toNanos()));
	}

	IdempotentRetryInterceptor(Retries retries, Sleeper sleeper) {
		this.retries = retries;
		this.sleeper = sleeper;
	}

	@Override
	public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
			throws IOException {
		HttpHeaders headers = this.retries.headers(request.getMethod(), request.getHeaders());
		Attempts attempts = this.retries.begin(request.getMethod(), headers);
		while (true) {
			Optional<Duration> delay;
			try {
				ClientHttpResponse response = execution.execute(attempt(request, headers), body);
				ReceivedResponse received = received(response);
				if (received.hasProblem()) {
					ProblemResponse problem = ProblemResponse.read(response);
					received = received.with(problem.start());
					response = problem;
				}
				delay = attempts.delayAfter(received);
				if (delay.isEmpty()) {
					return response;
				}
				response.close();
			}
			catch (IOException ex) {
				delay = Thread.currentThread().isInterrupted() ? Optional.empty() : attempts.delayAfter(ex);
				if (delay.isEmpty()) {
					throw ex;
				}
			}
			sleep(delay.get());
		}
	}

	private static ReceivedResponse received(ClientHttpResponse response) throws IOException {
		try {
			return ReceivedResponse.of(response.getStatusCode(), response.getHeaders());
		}
		catch (IOException ex) {
			response.close();
			throw ex;
		}
	}

	/**
	 * Copies the request, so that headers that a later interceptor adds to one attempt
	 * are not in the next.
	 */
	private static HttpRequest attempt(HttpRequest request, HttpHeaders headers) {
		HttpHeaders own = HttpHeaders.copyOf(headers);
		return new HttpRequestWrapper(request) {

			@Override
			public HttpHeaders getHeaders() {
				return own;
			}

		};
	}

	private void sleep(Duration delay) throws InterruptedIOException {
		try {
			this.sleeper.sleep(delay);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new InterruptedIOException("Interrupted before the next attempt");
		}
	}

	/** Waits between two attempts. */
	@FunctionalInterface
	interface Sleeper {

		void sleep(Duration delay) throws InterruptedException;

	}

}
