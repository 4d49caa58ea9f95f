package io.github.lockstarter.service.client;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.result.method.annotation.ArgumentResolverConfigurer;

/**
 * Registers the resolver for {@link Client} parameters of handlers.
 */
@Configuration(proxyBeanMethods = false)
class ClientConfiguration {

	private static final Log logger = LogFactory.getLog(ClientConfiguration.class);

	@Bean
	WebFluxConfigurer clientArgumentConfigurer(ServiceProperties properties) {
		properties.clientsWithExampleKey()
			.forEach((client) -> logger.warn(
					"The API key of client '%s' is an example of the documentation, which everybody knows: replace it, for example by the output of openssl rand -hex 24"
						.formatted(client)));
		return new WebFluxConfigurer() {

			@Override
			public void configureArgumentResolvers(ArgumentResolverConfigurer configurer) {
				configurer.addCustomResolver(new ClientArgumentResolver(properties));
			}

		};
	}

}
