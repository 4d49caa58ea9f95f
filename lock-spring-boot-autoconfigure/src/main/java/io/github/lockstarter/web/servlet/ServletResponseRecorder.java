package io.github.lockstarter.web.servlet;

import java.io.IOException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.core.Ordered;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Records requests, and the responses to those whose leases are held until the response
 * is known. It is outside of all other filters, because these may respond as well, for
 * example those of Spring Security. If no handler may keep responses, it does nothing.
 */
public final class ServletResponseRecorder extends OncePerRequestFilter implements Ordered {

	private final BooleanSupplier keepsResponses;

	private final LongSupplier maxSize;

	private final LongSupplier maxRequestSize;

	/**
	 * Creates a filter.
	 * @param keepsResponses whether any handler may keep responses for later duplicates
	 * @param maxSize the largest number of bytes that may be kept
	 * @param maxRequestSize the largest number of bytes of a request that is compared
	 */
	public ServletResponseRecorder(BooleanSupplier keepsResponses, LongSupplier maxSize, LongSupplier maxRequestSize) {
		this.keepsResponses = keepsResponses;
		this.maxSize = maxSize;
		this.maxRequestSize = maxRequestSize;
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	protected boolean shouldNotFilterAsyncDispatch() {
		return false;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		RecordedServletResponse known = RecordedServletResponse.of(request);
		if (known == null && !this.keepsResponses.getAsBoolean()) {
			chain.doFilter(request, response);
			return;
		}
		// An asynchronous request is dispatched again, with the same response.
		RecordedServletResponse recorded = (known != null) ? known
				: RecordedServletResponse.of(request, response, this.maxSize.getAsLong());
		try {
			chain.doFilter(
					(known != null) ? request : RecordedServletRequest.record(request, this.maxRequestSize.getAsLong()),
					(known != null) ? response : recorded);
		}
		catch (Throwable ex) {
			recorded.failed();
			throw ex;
		}
		if (request.isAsyncStarted()) {
			if (request.getAsyncContext().hasOriginalRequestAndResponse()) {
				recorded.bypassed();
			}
			request.getAsyncContext().addListener(new Completion(recorded));
		}
		else {
			recorded.handled();
		}
	}

	/** Handles the end of a request that is not dispatched again. */
	private record Completion(RecordedServletResponse recorded) implements AsyncListener {

		@Override
		public void onComplete(AsyncEvent event) throws IOException {
			this.recorded.handled();
		}

		@Override
		public void onTimeout(AsyncEvent event) {
		}

		@Override
		public void onError(AsyncEvent event) {
		}

		@Override
		public void onStartAsync(AsyncEvent event) {
		}

	}

}
