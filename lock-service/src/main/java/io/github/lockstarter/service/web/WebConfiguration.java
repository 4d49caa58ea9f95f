package io.github.lockstarter.service.web;

import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.accept.RequestedContentTypeResolverBuilder;
import org.springframework.web.reactive.config.WebFluxConfigurer;

/**
 * Each answer has one form, whatever the client accepts: a lock is not refused for a
 * header, nor a refusal left without its reason.
 */
@Configuration(proxyBeanMethods = false)
class WebConfiguration implements WebFluxConfigurer {

	@Override
	public void configureContentTypeResolver(RequestedContentTypeResolverBuilder builder) {
		builder.fixedResolver(MediaType.ALL);
	}

}
