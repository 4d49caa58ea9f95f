package io.github.lockstarter.web.reactive;

import reactor.core.publisher.Mono;

import org.springframework.core.MethodParameter;
import org.springframework.web.reactive.BindingContext;
import org.springframework.web.reactive.result.method.HandlerMethodArgumentResolver;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.Lease;

/**
 * Resolves a {@link Lease} parameter of a controller method to {@code null}. The lock is
 * acquired after the arguments of a request have been resolved. The lease is then
 * inserted.
 */
public final class ReactiveLeaseArgumentResolver implements HandlerMethodArgumentResolver {

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return Lease.class.equals(parameter.getParameterType());
	}

	@Override
	public Mono<Object> resolveArgument(MethodParameter parameter, BindingContext context, ServerWebExchange exchange) {
		return Mono.empty();
	}

}
