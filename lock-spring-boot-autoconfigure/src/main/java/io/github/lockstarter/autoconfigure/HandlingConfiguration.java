package io.github.lockstarter.autoconfigure;

import java.util.List;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.result.method.annotation.ArgumentResolverConfigurer;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import io.github.lockstarter.aop.ExclusiveRequestAdvisor;
import io.github.lockstarter.aop.ExchangeHandlingFilter;
import io.github.lockstarter.aop.PendingEntityHandler;
import io.github.lockstarter.aop.ServletHandlingConfigurer;
import io.github.lockstarter.web.servlet.LeaseArgumentResolver;

/**
 * What lets annotated methods be handlers of requests: their locks, and their
 * {@link io.github.lockstarter.Lease} parameters.
 */
final class HandlingConfiguration {

	private HandlingConfiguration() {
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	@ConditionalOnClass(DispatcherServlet.class)
	static class Servlet {

		@Bean
		static WebMvcConfigurer lockHandlingConfigurer(ObjectProvider<RequestMappingHandlerAdapter> adapter) {
			return new ServletHandlingConfigurer(adapter);
		}

		@Bean
		static WebMvcConfigurer leaseArgumentConfigurer(ObjectProvider<ExclusiveRequestAdvisor> advisor) {
			return new WebMvcConfigurer() {

				@Override
				public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
					resolvers.add(new LeaseArgumentResolver(
							(method, type) -> advisor.stream().anyMatch((each) -> each.matches(method, type))));
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	@ConditionalOnClass(DispatcherHandler.class)
	static class Reactive {

		@Bean
		static ExchangeHandlingFilter lockHandlingFilter() {
			return new ExchangeHandlingFilter();
		}

		@Bean
		static PendingEntityHandler lockPendingEntityHandler(ObjectProvider<HandlerResultHandler> handlers) {
			return new PendingEntityHandler(handlers);
		}

		@Bean
		static WebFluxConfigurer leaseArgumentConfigurer() {
			return new WebFluxConfigurer() {

				@Override
				public void configureArgumentResolvers(ArgumentResolverConfigurer configurer) {
					configurer.addCustomResolver(new io.github.lockstarter.web.reactive.LeaseArgumentResolver());
				}

			};
		}

	}

}
