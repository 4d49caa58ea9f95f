package io.github.lockstarter.web.graphql;

import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.key.CurrentRequest;

/**
 * Makes the request available to each thread that works for it: Spring for GraphQL calls
 * controller methods on several threads, and restores what has an accessor. It is found
 * by the {@link java.util.ServiceLoader}, and does nothing without a GraphQL request.
 */
public final class GraphQlRequestAccessor implements ThreadLocalAccessor<CurrentRequest> {

	@Override
	public Object key() {
		return GraphQlRequest.KEY;
	}

	@Override
	public @Nullable CurrentRequest getValue() {
		return GraphQlRequest.current();
	}

	@Override
	public void setValue(CurrentRequest request) {
		GraphQlRequest.current(request);
	}

	@Override
	public void setValue() {
		GraphQlRequest.current(null);
	}

}
