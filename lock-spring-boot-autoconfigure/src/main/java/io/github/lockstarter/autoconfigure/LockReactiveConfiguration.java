package io.github.lockstarter.autoconfigure;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.reactive.DispatchExceptionHandler;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.result.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.reactive.result.method.annotation.ArgumentResolverConfigurer;

import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.operation.LockOperationValidator;
import io.github.lockstarter.operation.ConflictStatuses;
import io.github.lockstarter.web.reactive.ExchangeResponseRecorder;
import io.github.lockstarter.web.reactive.PreparedRejectionWriter;
import io.github.lockstarter.web.reactive.DeferredResponseEntityHandler;
import io.github.lockstarter.web.reactive.ExchangeRequestFilter;
import io.github.lockstarter.web.reactive.ExchangeRequestSupport;
import io.github.lockstarter.web.reactive.ReactiveLeaseArgumentResolver;
import io.github.lockstarter.web.reactive.ReactiveLockExceptionHandlers;
import io.github.lockstarter.web.reactive.LockWebExceptionHandler;

/**
 * Configures locks in Spring WebFlux: handlers, their {@link io.github.lockstarter.Lease}
 * parameters, and the HTTP responses.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@Import(LockReactiveConfiguration.ReactiveAdviceRegistrar.class)
class LockReactiveConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static ExchangeRequestSupport exclusiveRequestExchangeRequestSupport(PreparedRejectionWriter rejections) {
		return new ExchangeRequestSupport(rejections);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static PreparedRejectionWriter exclusiveRequestPreparedRejectionWriter(ListableBeanFactory beans,
			ObjectProvider<LockProperties> properties) {
		return new PreparedRejectionWriter(beans,
				SingletonSupplier.of(() -> properties.getObject().web().preparedRejections())::obtain);
	}

	@Bean
	static ExchangeRequestFilter exclusiveRequestExchangeFilter(ObjectProvider<LockOperationSource> operations) {
		return new ExchangeRequestFilter((handler) -> {
			LockedMethod method = operations.getObject().find(handler.getMethod(), handler.getBeanType());
			return method != null && method.readsContent();
		});
	}

	@Bean
	static ExchangeResponseRecorder exclusiveRequestResponseRecorder(LockOperationSource operations,
			ObjectProvider<LockProperties> properties) {
		return new ExchangeResponseRecorder(operations::keepsResponses,
				() -> properties.getObject().share().maxSize().toBytes(),
				() -> properties.getObject().replay().maxRequestSize().toBytes());
	}

	@Bean
	static DeferredResponseEntityHandler exclusiveRequestDeferredResponseEntityHandler(
			ObjectProvider<HandlerResultHandler> handlers) {
		return new DeferredResponseEntityHandler(handlers);
	}

	@Bean
	static WebFluxConfigurer exclusiveRequestLeaseArgumentConfigurer() {
		return new WebFluxConfigurer() {

			@Override
			public void configureArgumentResolvers(ArgumentResolverConfigurer configurer) {
				configurer.addCustomResolver(new ReactiveLeaseArgumentResolver());
			}

		};
	}

	@Bean
	static HandlerMethodCheck exclusiveRequestHandlerMethodCheck(
			ObjectProvider<RequestMappingInfoHandlerMapping> mappings, LockOperationValidator validator,
			LockProperties properties) {
		return new HandlerMethodCheck(
				() -> mappings.stream().flatMap((mapping) -> mapping.getHandlerMethods().values().stream()),
				(handler) -> {
					validator.checkLeaseParameter(handler.getMethod(), handler.getBeanType());
					validator.checkReactiveHandler(handler.getMethod(), handler.getBeanType(),
							properties.web().releaseOn());
				});
	}

	@Bean
	LockWebExceptionHandler exclusiveRequestWebExceptionHandler(ObjectProvider<DispatchExceptionHandler> advices,
			ObjectProvider<HandlerResultHandler> results, ConflictStatuses statuses) {
		return new LockWebExceptionHandler(advices.orderedStream().toList(), results.orderedStream().toList(),
				statuses);
	}

	static class ReactiveAdviceRegistrar extends LockExceptionHandlerRegistrar {

		ReactiveAdviceRegistrar(BeanFactory beanFactory) {
			super(beanFactory, ReactiveLockExceptionHandlers.ALL);
		}

	}

}
