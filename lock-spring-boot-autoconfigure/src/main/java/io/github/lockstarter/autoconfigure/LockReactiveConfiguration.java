package io.github.lockstarter.autoconfigure;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.reactive.DispatchExceptionHandler;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.HandlerResultHandler;

import io.github.lockstarter.web.reactive.LockExceptionHandlers;
import io.github.lockstarter.web.reactive.LockWebExceptionHandler;

/**
 * The HTTP answers in Spring WebFlux.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@Import(LockReactiveConfiguration.Handlers.class)
class LockReactiveConfiguration {

	@Bean
	LockWebExceptionHandler lockWebExceptionHandler(ObjectProvider<DispatchExceptionHandler> advices,
			ObjectProvider<HandlerResultHandler> results) {
		return new LockWebExceptionHandler(advices.orderedStream().toList(), results.orderedStream().toList());
	}

	static class Handlers extends LockExceptionHandlerRegistrar {

		Handlers(BeanFactory beanFactory) {
			super(beanFactory, LockExceptionHandlers.OfConflict.class, LockExceptionHandlers.OfMissingKey.class,
					LockExceptionHandlers.OfLostLease.class, LockExceptionHandlers.OfStore.class);
		}

	}

}
