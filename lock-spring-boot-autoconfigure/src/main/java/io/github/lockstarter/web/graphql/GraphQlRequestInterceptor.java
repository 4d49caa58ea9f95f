package io.github.lockstarter.web.graphql;

import java.security.Principal;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.graphql.server.WebGraphQlInterceptor;
import org.springframework.graphql.server.WebGraphQlRequest;
import org.springframework.graphql.server.WebGraphQlResponse;
import org.springframework.graphql.server.WebSocketGraphQlRequest;
import org.springframework.http.server.PathContainer;

import io.github.lockstarter.interceptor.ReactiveRequestSupport;
import io.github.lockstarter.interceptor.RequestSupport;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.web.RequestPaths;

/**
 * Reads the request before its data fetchers run, and passes it on to them.
 */
public final class GraphQlRequestInterceptor implements WebGraphQlInterceptor {

	private final RequestSupport requests;

	private final Supplier<@Nullable ReactiveRequestSupport> reactiveRequests;

	private final BooleanSupplier readsPrincipal;

	/**
	 * Creates an interceptor.
	 * @param requests finds the request of a thread
	 * @param reactiveRequests finds the request of a Reactor context, if the application
	 * is reactive
	 * @param readsPrincipal whether any lock depends on the principal, which may have to
	 * be loaded
	 */
	public GraphQlRequestInterceptor(RequestSupport requests,
			Supplier<@Nullable ReactiveRequestSupport> reactiveRequests, BooleanSupplier readsPrincipal) {
		this.requests = requests;
		this.reactiveRequests = reactiveRequests;
		this.readsPrincipal = readsPrincipal;
	}

	@Override
	public Mono<WebGraphQlResponse> intercept(WebGraphQlRequest request, Chain chain) {
		CurrentRequest ofThread = this.requests.currentRequest();
		return Mono.deferContextual((context) -> principal(request, ofThread, context)
			.map((principal) -> request(request, ofThread, principal))
			.switchIfEmpty(Mono.fromSupplier(() -> request(request, ofThread, null)))
			.flatMap((current) -> chain.next(request)
				.contextWrite((written) -> written.put(GraphQlRequest.KEY, current))));
	}

	private static CurrentRequest request(WebGraphQlRequest request, CurrentRequest ofThread,
			@Nullable Principal principal) {
		// The path within the application, which the URI does not tell.
		String path = ofThread.path();
		return new GraphQlRequest(request.getHeaders(),
				(path != null) ? path
						: RequestPaths.canonical(PathContainer.parsePath(request.getUri().toUri().getRawPath())),
				request.getUri().getQueryParams(), principal);
	}

	private Mono<Principal> principal(WebGraphQlRequest request, CurrentRequest ofThread, ContextView context) {
		if (!this.readsPrincipal.getAsBoolean()) {
			return Mono.empty();
		}
		if (request instanceof WebSocketGraphQlRequest ofSession) {
			return ofSession.getSessionInfo().getPrincipal();
		}
		ReactiveRequestSupport reactive = this.reactiveRequests.get();
		ReactiveRequestSupport.Request exchange = (reactive != null) ? reactive.find(context) : null;
		return (exchange != null) ? exchange.current(true).mapNotNull(CurrentRequest::principal)
				: Mono.justOrEmpty(ofThread.principal());
	}

}
