package io.github.lockstarter.frontdoors.graphql;

import java.security.Principal;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.web.server.WebFilter;

import io.github.lockstarter.frontdoors.Work;

/**
 * The user of all requests is taro.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class GraphQlApplication {

	private static final Principal TARO = () -> "taro";

	@Bean
	Work work() {
		return new Work();
	}

	@Bean
	@ConditionalOnWebApplication(type = Type.SERVLET)
	Filter userOfServletRequests() {
		return (request, response, chain) -> chain
			.doFilter(new HttpServletRequestWrapper((HttpServletRequest) request) {

				@Override
				public Principal getUserPrincipal() {
					return TARO;
				}

			}, response);
	}

	@Bean
	@Order(0)
	@ConditionalOnWebApplication(type = Type.REACTIVE)
	WebFilter userOfExchanges() {
		return (exchange, chain) -> chain.filter(exchange.mutate().principal(Mono.just(TARO)).build());
	}

}
