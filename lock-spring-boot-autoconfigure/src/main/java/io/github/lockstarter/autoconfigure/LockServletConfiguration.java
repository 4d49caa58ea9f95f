package io.github.lockstarter.autoconfigure;

import java.lang.reflect.Method;
import java.util.List;
import java.util.function.BiPredicate;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import io.github.lockstarter.aop.ExclusiveRequestAdvisor;
import io.github.lockstarter.aop.PreparedModel;
import io.github.lockstarter.aop.ServletHandlingConfigurer;
import io.github.lockstarter.web.ConflictStatuses;
import io.github.lockstarter.web.servlet.ConflictStatusResolver;
import io.github.lockstarter.web.servlet.LeaseArgumentResolver;
import io.github.lockstarter.web.servlet.LockExceptionHandlers;

/**
 * Locks in Spring MVC: handlers that wait, their {@link io.github.lockstarter.Lease}
 * parameters, and the HTTP answers.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@Import(LockServletConfiguration.Handlers.class)
class LockServletConfiguration {

	private static final String ADAPTER = "requestMappingHandlerAdapter";

	/** Other libraries have adapters of the same type, for handlers of their own. */
	@Bean
	static ServletHandlingConfigurer exclusiveRequestHandlingConfigurer(BeanFactory beans,
			ObjectProvider<LockProperties> properties, Environment environment) {
		return new ServletHandlingConfigurer(() -> beans.getBean(ADAPTER, RequestMappingHandlerAdapter.class),
				() -> properties.getObject().web().keepsThread(Threading.VIRTUAL.isActive(environment)));
	}

	/** Spring MVC sets its adapter up once, so it is changed when that is done. */
	@Bean
	static BeanPostProcessor exclusiveRequestPreparedModelProcessor(ObjectProvider<ExclusiveRequestAdvisor> advisor) {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String name) {
				if (name.equals(ADAPTER) && bean instanceof RequestMappingHandlerAdapter adapter) {
					PreparedModel.keep(adapter, locked(advisor));
				}
				return bean;
			}

		};
	}

	@Bean
	static WebMvcConfigurer exclusiveRequestLeaseArgumentConfigurer(ObjectProvider<ExclusiveRequestAdvisor> advisor) {
		return new WebMvcConfigurer() {

			@Override
			public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
				resolvers.add(new LeaseArgumentResolver(locked(advisor)));
			}

		};
	}

	private static BiPredicate<Method, Class<?>> locked(ObjectProvider<ExclusiveRequestAdvisor> advisor) {
		return (method, type) -> advisor.stream().anyMatch((each) -> each.matches(method, type));
	}

	@Bean
	static WebMvcConfigurer exclusiveRequestConflictStatusConfigurer(ConflictStatuses statuses) {
		return new WebMvcConfigurer() {

			@Override
			public void extendHandlerExceptionResolvers(List<HandlerExceptionResolver> resolvers) {
				resolvers.add(0, new ConflictStatusResolver(statuses));
			}

		};
	}

	@Bean
	static LeaseParameterCheck exclusiveRequestLeaseParameterCheck(
			ObjectProvider<RequestMappingInfoHandlerMapping> mappings,
			ObjectProvider<ExclusiveRequestAdvisor> advisors) {
		return new LeaseParameterCheck(
				() -> mappings.stream().flatMap((mapping) -> mapping.getHandlerMethods().values().stream()), advisors);
	}

	static class Handlers extends LockExceptionHandlerRegistrar {

		Handlers(BeanFactory beanFactory) {
			super(beanFactory, LockExceptionHandlers.OfConflict.class, LockExceptionHandlers.OfMissingKey.class,
					LockExceptionHandlers.OfPayloadMismatch.class, LockExceptionHandlers.OfLostLease.class,
					LockExceptionHandlers.OfStore.class);
		}

	}

}
