package io.github.lockstarter.autoconfigure;

import java.lang.reflect.Method;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Supplier;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import io.github.lockstarter.interceptor.ExclusiveRequestInterceptor;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.operation.LockOperationValidator;
import io.github.lockstarter.web.servlet.ServletResponseRecorder;
import io.github.lockstarter.web.servlet.ServletLockExceptionHandlers;
import io.github.lockstarter.web.servlet.LockWebMvcConfigurer;
import io.github.lockstarter.web.servlet.UnsentServletResponse;
import io.github.lockstarter.web.servlet.PreparedRejectionResolver;
import io.github.lockstarter.web.servlet.KeptModel;
import io.github.lockstarter.web.servlet.ReplayedResponseResolver;
import io.github.lockstarter.web.servlet.ServletRequestSupport;
import io.github.lockstarter.web.servlet.SuspendedRequestResolver;

/**
 * Configures locks in Spring MVC: handlers that wait, their
 * {@link io.github.lockstarter.Lease} parameters, and the HTTP responses.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@Import(LockServletConfiguration.ServletAdviceRegistrar.class)
class LockServletConfiguration {

	private static final String MAPPING = "requestMappingHandlerMapping";

	private static final String ADAPTER = "requestMappingHandlerAdapter";

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static ServletRequestSupport exclusiveRequestServletRequestSupport(ListableBeanFactory beans) {
		return new ServletRequestSupport(adapter(beans));
	}

	/**
	 * Selects the adapter by name, because other libraries have adapters of the same type
	 * for their own handlers.
	 */
	private static Supplier<RequestMappingHandlerAdapter> adapter(ListableBeanFactory beans) {
		return SingletonSupplier.of(() -> beans.getBean(ADAPTER, RequestMappingHandlerAdapter.class));
	}

	@Bean
	static LockWebMvcConfigurer exclusiveRequestWebMvcConfigurer(ListableBeanFactory beans,
			ObjectProvider<ExclusiveRequestInterceptor> advice, ServletRequestSupport requests,
			ObjectProvider<LockProperties> properties) {
		return new LockWebMvcConfigurer(adapter(beans), SingletonSupplier.of(advice::getObject), requests,
				() -> properties.getObject().web().suspendsRequests());
	}

	@Bean
	static WebMvcConfigurer exclusiveRequestPreparedRejectionConfigurer(ListableBeanFactory beans,
			ObjectProvider<LockProperties> properties, Environment environment) {
		return new WebMvcConfigurer() {

			@Override
			public void extendHandlerExceptionResolvers(List<HandlerExceptionResolver> resolvers) {
				if (properties.getObject().web().preparedRejections()) {
					resolvers.stream()
						.filter(ExceptionHandlerExceptionResolver.class::isInstance)
						.map(ExceptionHandlerExceptionResolver.class::cast)
						.findFirst()
						.ifPresent((advices) -> resolvers.add(0, new PreparedRejectionResolver(advices, beans,
								Threading.VIRTUAL.isActive(environment))));
				}
			}

		};
	}

	@Bean
	static SuspendedRequestResolver exclusiveRequestSuspendedRequestResolver() {
		return new SuspendedRequestResolver();
	}

	@Bean
	static ServletResponseRecorder exclusiveRequestResponseRecorder(LockOperationSource operations,
			ObjectProvider<LockProperties> properties) {
		return new ServletResponseRecorder(operations::keepsResponses,
				() -> properties.getObject().share().maxSize().toBytes(),
				() -> properties.getObject().replay().maxRequestSize().toBytes());
	}

	@Bean
	static ReplayedResponseResolver exclusiveRequestReplayedResponseResolver() {
		return new ReplayedResponseResolver();
	}

	/** Changes the adapter of Spring MVC after its initialization. */
	@Bean
	static BeanPostProcessor exclusiveRequestKeptModelProcessor(ObjectProvider<LockOperationSource> operations) {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String name) {
				if (name.equals(ADAPTER) && bean instanceof RequestMappingHandlerAdapter adapter) {
					KeptModel.keep(adapter, locked(operations));
					UnsentServletResponse.send(adapter);
				}
				return bean;
			}

		};
	}

	private static BiPredicate<Method, Class<?>> locked(ObjectProvider<LockOperationSource> operations) {
		return (method, type) -> operations.getObject().find(method, type) != null;
	}

	@Bean
	static HandlerMethodCheck exclusiveRequestHandlerMethodCheck(
			ObjectProvider<RequestMappingInfoHandlerMapping> mappings, LockOperationValidator validator) {
		return new HandlerMethodCheck(
				() -> mappings.stream().flatMap((mapping) -> mapping.getHandlerMethods().values().stream()),
				(handler) -> validator.checkLeaseParameter(handler.getMethod(), handler.getBeanType()));
	}

	@Bean
	static HandlerMethodCheck exclusiveRequestLoadedArgumentsCheck(
			@Qualifier(MAPPING) ObjectProvider<RequestMappingInfoHandlerMapping> mapping,
			LockWebMvcConfigurer configurer, ConfigurableListableBeanFactory beans) {
		return new HandlerMethodCheck(
				() -> mapping.stream().flatMap((each) -> each.getHandlerMethods().values().stream()),
				(handler) -> configurer.checkLoadedArguments(handler,
						(handler.getBean() instanceof String name) ? beans.getSingleton(name) : handler.getBean()));
	}

	static class ServletAdviceRegistrar extends LockExceptionHandlerRegistrar {

		ServletAdviceRegistrar(BeanFactory beanFactory) {
			super(beanFactory, ServletLockExceptionHandlers.ALL);
		}

	}

}
