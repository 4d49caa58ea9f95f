package io.github.lockstarter.service.client;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.result.method.annotation.ArgumentResolverConfigurer;

/**
 * Registers the resolver for {@link Client} parameters of handlers.
 */
@Configuration(proxyBeanMethods = false)
class ClientConfiguration {

	@Bean
	WebFluxConfigurer clientArgumentConfigurer(ServiceProperties properties) {
		return new WebFluxConfigurer() {

			@Override
			public void configureArgumentResolvers(ArgumentResolverConfigurer configurer) {
				configurer.addCustomResolver(new ClientArgumentResolver(properties));
			}

		};
	}

}
