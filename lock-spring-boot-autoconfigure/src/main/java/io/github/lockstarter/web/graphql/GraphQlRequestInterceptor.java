package io.github.lockstarter.web.graphql;

import java.security.Principal;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
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
import io.github.lockstarter.key.SecurityPrincipal;
import io.github.lockstarter.web.RequestPaths;

/**
 * Reads the request before its data fetchers run, and passes it on to them.
 */
public final class GraphQlRequestInterceptor implements WebGraphQlInterceptor {

	private final RequestSupport requests;

	private final Supplier<@Nullable ReactiveRequestSupport> reactiveRequests;

	/**
	 * Creates an interceptor.
	 * @param requests finds the request of a thread
	 * @param reactiveRequests finds the request of a Reactor context, if the application
	 * is reactive
	 */
	public GraphQlRequestInterceptor(RequestSupport requests,
			Supplier<@Nullable ReactiveRequestSupport> reactiveRequests) {
		this.requests = requests;
		this.reactiveRequests = reactiveRequests;
	}

	/**
	 * The principal is loaded for all requests, because the locks of beans that have not
	 * been created are unknown. Without it, only calls that read it fail.
	 */
	@Override
	public Mono<WebGraphQlResponse> intercept(WebGraphQlRequest request, Chain chain) {
		CurrentRequest ofThread = this.requests.currentRequest();
		return Mono.deferContextual((context) -> principal(request, ofThread, context)
			.<Supplier<@Nullable Principal>>map((principal) -> () -> principal)
			.defaultIfEmpty(() -> null)
			.onErrorResume((ex) -> Mono.just(() -> {
				throw Exceptions.propagate(ex);
			}))
			.map((principal) -> request(request, ofThread, principal))
			.flatMap((current) -> chain.next(request)
				.contextWrite((written) -> written.put(GraphQlRequest.KEY, current))));
	}

	private static CurrentRequest request(WebGraphQlRequest request, CurrentRequest ofThread,
			Supplier<@Nullable Principal> principal) {
		// The path within the application, which the URI does not tell.
		String path = ofThread.path();
		return new GraphQlRequest(request.getHeaders(),
				(path != null) ? path
						: RequestPaths.canonical(PathContainer.parsePath(request.getUri().toUri().getRawPath())),
				request.getUri().getQueryParams(), principal);
	}

	private Mono<Principal> principal(WebGraphQlRequest request, CurrentRequest ofThread, ContextView context) {
		if (request instanceof WebSocketGraphQlRequest ofSession) {
			// A message after the handshake may have authenticated the user.
			return ofSession.getSessionInfo()
				.getPrincipal()
				.mapNotNull(SecurityPrincipal::unlessAnonymous)
				.switchIfEmpty(SecurityPrincipal.ofSubscriber());
		}
		ReactiveRequestSupport reactive = this.reactiveRequests.get();
		ReactiveRequestSupport.Request exchange = (reactive != null) ? reactive.find(context) : null;
		return (exchange != null) ? exchange.current(true, false).mapNotNull(CurrentRequest::principal)
				: Mono.fromSupplier(ofThread::principal);
	}

}
