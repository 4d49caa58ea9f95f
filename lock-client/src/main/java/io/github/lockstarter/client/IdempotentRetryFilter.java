package io.github.lockstarter.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.util.ClassUtils;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClientRequestException;

/**
 * Repeats requests of a {@code WebClient} that were rejected temporarily, or whose
 * response was lost, according to the same rules as {@link IdempotentRetryInterceptor}.
 * No thread is blocked between two attempts. A cancelled request is not sent again.
 * <p>
 * Each attempt subscribes to the body of the request, so a request whose body can be read
 * only once fails when it is repeated. Each subscription to the response is a new request
 * with a new key. An application that also uses {@link Mono#retry()} has to set the
 * header itself.
 * <p>
 * The problem details of 409 and 503 are buffered in memory, up to the limit of the
 * codecs of the client. The body of a rejected attempt is released.
 */
public final class IdempotentRetryFilter implements ExchangeFilterFunction {

	private static final boolean NETTY_PRESENT = ClassUtils.isPresent("io.netty.handler.timeout.TimeoutException",
			IdempotentRetryFilter.class.getClassLoader());

	private static final byte[] NOTHING = new byte[0];

	private final Retries retries;

	private final Scheduler scheduler;

	/**
	 * Creates a filter with the {@linkplain RetryLimits#DEFAULT default limits}.
	 */
	public IdempotentRetryFilter() {
		this(RetryLimits.DEFAULT);
	}

	/**
	 * Creates a filter.
	 * @param limits the limits for the attempts of a request
	 */
	public IdempotentRetryFilter(RetryLimits limits) {
		this(Retries.within(limits), Schedulers.parallel());
	}

	IdempotentRetryFilter(Retries retries, Scheduler scheduler) {
		this.retries = retries;
		this.scheduler = scheduler;
	}

	@Override
	public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
		return Mono.defer(() -> {
			HttpHeaders headers = this.retries.headers(request.method(), request.headers());
			ClientRequest keyed = ClientRequest.from(request).headers((own) -> own.putAll(headers)).build();
			Attempts attempts = this.retries.begin(request.method(), headers);
			return Mono.defer(() -> next.exchange(keyed))
				.flatMap((response) -> accept(response, attempts))
				.retryWhen(Retry.from((failures) -> failures.concatMap((each) -> delay(each.failure(), attempts))));
		});
	}

	/** Emits the response if it is final. */
	private static Mono<ClientResponse> accept(ClientResponse response, Attempts attempts) {
		ReceivedResponse received = ReceivedResponse.of(response.statusCode(), response.headers().asHttpHeaders());
		if (!received.hasProblem()) {
			return attempts.delayAfter(received)
				.map((delay) -> response.releaseBody().onErrorComplete().then(rejected(delay)))
				.orElseGet(() -> Mono.just(response));
		}
		return response.bodyToMono(byte[].class)
			.defaultIfEmpty(NOTHING)
			.flatMap((body) -> attempts.delayAfter(received.with(body))
				.map(IdempotentRetryFilter::rejected)
				.orElseGet(() -> Mono.just(withBody(response, body))))
			// The caller still receives the status.
			.onErrorResume(DataBufferLimitException.class,
					(ex) -> Mono.just(response.mutate().body((read) -> Flux.error(ex)).build()));
	}

	private static Mono<ClientResponse> rejected(Duration delay) {
		return Mono.error(new RejectedException(delay));
	}

	/** Makes the body that was read available again. */
	private static ClientResponse withBody(ClientResponse response, byte[] body) {
		return response.mutate()
			.body((read) -> (body.length > 0) ? Flux.just(DefaultDataBufferFactory.sharedInstance.wrap(body))
					: Flux.empty())
			.build();
	}

	private Mono<Long> delay(Throwable failure, Attempts attempts) {
		Optional<Duration> delay = Optional.empty();
		if (failure instanceof RejectedException rejected) {
			delay = Optional.of(rejected.delay);
		}
		else if (isFailureOfConnection(failure)) {
			delay = attempts.delayAfter(failure);
		}
		return delay.map((each) -> Mono.delay(each, this.scheduler)).orElseGet(() -> Mono.error(failure));
	}

	/**
	 * Returns whether another attempt may succeed. Other failures, such as a body that
	 * cannot be written, would occur again.
	 */
	private static boolean isFailureOfConnection(Throwable failure) {
		Throwable cause = (failure instanceof WebClientRequestException) ? failure.getCause() : failure;
		return cause instanceof IOException || cause instanceof TimeoutException
				|| (NETTY_PRESENT && NettyTimeouts.isTimeout(cause));
	}

	/** Timeouts of Netty are not I/O exceptions. */
	private static final class NettyTimeouts {

		static boolean isTimeout(@Nullable Throwable cause) {
			return cause instanceof io.netty.handler.timeout.TimeoutException;
		}

	}

	/** Carries the delay before the next attempt. */
	@SuppressWarnings("serial")
	private static final class RejectedException extends RuntimeException {

		private final Duration delay;

		RejectedException(Duration delay) {
			super("The request was rejected temporarily", null, false, false);
			this.delay = delay;
		}

	}

}
