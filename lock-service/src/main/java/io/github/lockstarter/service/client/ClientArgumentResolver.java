package io.github.lockstarter.service.client;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

import io.netty.util.NetUtil;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.reactive.BindingContext;
import org.springframework.web.reactive.result.method.HandlerMethodArgumentResolver;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.service.Problem;

/**
 * Determines the client of a request by its API key. Handlers declare a {@link Client}
 * parameter, which they need for all operations on locks.
 */
final class ClientArgumentResolver implements HandlerMethodArgumentResolver {

	private static final String HEADER = "X-API-Key";

	private static final String BEARER = "Bearer ";

	private final FailedKeys failures = new FailedKeys();

	private final @Nullable Client everybody;

	private final ApiKeys keys;

	ClientArgumentResolver(ServiceProperties properties) {
		this.everybody = properties.open() ? properties.everybody() : null;
		this.keys = new ApiKeys(properties.clientsByKey());
	}

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return parameter.getParameterType() == Client.class;
	}

	@Override
	public Mono<Object> resolveArgument(MethodParameter parameter, BindingContext context, ServerWebExchange exchange) {
		return (this.everybody != null) ? Mono.just(this.everybody)
				: Mono.fromSupplier(() -> find(exchange.getRequest()));
	}

	private Client find(ServerHttpRequest request) {
		String key = key(request.getHeaders());
		if (key == null) {
			throw Problem.keyMissing();
		}
		Optional<Client> client = this.keys.find(key);
		if (client.isPresent()) {
			return client.get();
		}
		Duration pause = this.failures.count(address(request));
		throw pause.isZero() ? Problem.keyUnknown() : Problem.tooManyKeys(pause);
	}

	private static @Nullable String key(HttpHeaders headers) {
		String key = headers.getFirst(HEADER);
		String authorization = headers.getFirst(HttpHeaders.AUTHORIZATION);
		boolean bearer = authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length());
		return (key == null && authorization != null && bearer) ? authorization.substring(BEARER.length()).trim() : key;
	}

	/**
	 * Returns nothing but an address, because a proxy may pass on any text of a client.
	 */
	private static String address(ServerHttpRequest request) {
		InetSocketAddress remote = request.getRemoteAddress();
		InetAddress address = (remote == null) ? null : (remote.getAddress() != null) ? remote.getAddress()
				: NetUtil.createInetAddressFromIpAddressString(remote.getHostString());
		return (address != null) ? address.getHostAddress() : "unknown";
	}

}
