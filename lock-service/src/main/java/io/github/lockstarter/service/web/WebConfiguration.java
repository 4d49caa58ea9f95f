package io.github.lockstarter.service.web;

import org.springframework.boot.webflux.autoconfigure.WebHttpHandlerBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;

/**
 * Each answer has one form, whatever the client accepts: a lock is not refused for a
 * header, and a refusal is a problem for browsers, too, not a page without its reason.
 */
@Configuration(proxyBeanMethods = false)
class WebConfiguration {

	/** Before all else, since error handlers look at the header as well. */
	@Bean
	WebHttpHandlerBuilderCustomizer acceptHeaderRemover() {
		return (builder) -> builder.httpHandlerDecorator((handler) -> (request, response) -> handler
			.handle(request.mutate().headers((headers) -> headers.remove(HttpHeaders.ACCEPT)).build(), response));
	}

}
