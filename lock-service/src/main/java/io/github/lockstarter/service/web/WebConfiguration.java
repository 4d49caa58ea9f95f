package io.github.lockstarter.service.web;

import org.springframework.boot.webflux.autoconfigure.WebHttpHandlerBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;

/**
 * Configures one format for each response, regardless of the {@code Accept} header. So a
 * lock is not rejected because of this header, and browsers also receive problem details
 * instead of an error page without the reason.
 */
@Configuration(proxyBeanMethods = false)
class WebConfiguration {

	/** Before all other components, because error handlers read the header as well. */
	@Bean
	WebHttpHandlerBuilderCustomizer acceptHeaderRemover() {
		return (builder) -> builder.httpHandlerDecorator((handler) -> (request, response) -> handler
			.handle(request.mutate().headers((headers) -> headers.remove(HttpHeaders.ACCEPT)).build(), response));
	}

}
