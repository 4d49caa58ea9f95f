package io.github.lockstarter.autoconfigure;

import java.util.stream.Stream;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.DispatchExceptionHandler;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.result.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.reactive.result.method.annotation.ArgumentResolverConfigurer;

import io.github.lockstarter.aop.ExchangeHandlingFilter;
import io.github.lockstarter.aop.ExclusiveRequestAdvisor;
import io.github.lockstarter.aop.PendingEntityHandler;
import io.github.lockstarter.web.ConflictStatuses;
import io.github.lockstarter.web.reactive.LeaseArgumentResolver;
import io.github.lockstarter.web.reactive.LockExceptionHandlers;
import io.github.lockstarter.web.reactive.LockWebExceptionHandler;

/**
 * Locks in Spring WebFlux: handlers, their {@link io.github.lockstarter.Lease}
 * parameters, and the HTTP answers.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@Import(LockReactiveConfiguration.Handlers.class)
class LockReactiveConfiguration {

	static final String PENDING_ENTITY_HANDLER = "exclusiveRequestPendingEntityHandler";

	@Bean
	static ExchangeHandlingFilter exclusiveRequestHandlingFilter() {
		return new ExchangeHandlingFilter();
	}

	@Bean(PENDING_ENTITY_HANDLER)
	static PendingEntityHandler exclusiveRequestPendingEntityHandler(ObjectProvider<HandlerResultHandler> handlers) {
		return new PendingEntityHandler(handlers);
	}

	@Bean
	static WebFluxConfigurer exclusiveRequestLeaseArgumentConfigurer() {
		return new WebFluxConfigurer() {

			@Override
			public void configureArgumentResolvers(ArgumentResolverConfigurer configurer) {
				configurer.addCustomResolver(new LeaseArgumentResolver());
			}

		};
	}

	@Bean
	static LeaseParameterCheck exclusiveRequestLeaseParameterCheck(
			ObjectProvider<RequestMappingInfoHandlerMapping> mappings,
			ObjectProvider<ExclusiveRequestAdvisor> advisors) {
		return new LeaseParameterCheck(() -> handlers(mappings), advisors);
	}

	@Bean
	static SmartInitializingSingleton exclusiveRequestExchangeHandlerCheck(
			ObjectProvider<RequestMappingInfoHandlerMapping> mappings,
			ObjectProvider<ExclusiveRequestAdvisor> advisors) {
		return () -> handlers(mappings).forEach((handler) -> advisors
			.forEach((advisor) -> advisor.checkExchangeHandler(handler.getMethod(), handler.getBeanType())));
	}

	private static Stream<HandlerMethod> handlers(ObjectProvider<RequestMappingInfoHandlerMapping> mappings) {
		return mappings.stream().flatMap((mapping) -> mapping.getHandlerMethods().values().stream());
	}

	@Bean
	LockWebExceptionHandler exclusiveRequestWebExceptionHandler(ObjectProvider<DispatchExceptionHandler> advices,
			ObjectProvider<HandlerResultHandler> results, ConflictStatuses statuses) {
		return new LockWebExceptionHandler(advices.orderedStream().toList(), results.orderedStream().toList(),
				statuses);
	}

	static class Handlers extends LockExceptionHandlerRegistrar {

		Handlers(BeanFactory beanFactory) {
			super(beanFactory, LockExceptionHandlers.OfConflict.class, LockExceptionHandlers.OfMissingKey.class,
					LockExceptionHandlers.OfPayloadMismatch.class, LockExceptionHandlers.OfLostLease.class,
					LockExceptionHandlers.OfStore.class);
		}

	}

}
