package io.github.lockstarter.web.graphql;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.interceptor.RequestHandling;
import io.github.lockstarter.interceptor.RequestSupport;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.operation.LockedMethod;

/**
 * Finds the request of a thread that runs a data fetcher, in addition to what the web
 * framework finds.
 */
public final class GraphQlRequestSupport implements RequestSupport {

	private final Supplier<RequestSupport> framework;

	/**
	 * Creates the support.
	 * @param framework the support of the web framework, which takes precedence
	 */
	public GraphQlRequestSupport(Supplier<RequestSupport> framework) {
		this.framework = framework;
	}

	@Override
	public CurrentRequest currentRequest() {
		CurrentRequest request = this.framework.get().currentRequest();
		CurrentRequest propagated = (request instanceof CurrentRequest.NoRequest) ? GraphQlRequest.current() : null;
		return (propagated != null) ? propagated : request;
	}

	@Override
	public @Nullable HeldLeases leases() {
		return this.framework.get().leases();
	}

	@Override
	public @Nullable RequestHandling handling(LockedMethod method) {
		return this.framework.get().handling(method);
	}

}
