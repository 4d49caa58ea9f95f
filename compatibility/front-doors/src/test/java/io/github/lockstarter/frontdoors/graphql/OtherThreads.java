package io.github.lockstarter.frontdoors.graphql;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.graphql.data.method.annotation.support.AnnotatedControllerConfigurer;

/**
 * Calls controller methods that may block on threads of their own, as virtual threads do,
 * which JDK 17 lacks.
 */
@Configuration(proxyBeanMethods = false)
class OtherThreads {

	@Bean
	static BeanPostProcessor controllersOnOtherThreads() {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessBeforeInitialization(Object bean, String name) {
				if (bean instanceof AnnotatedControllerConfigurer controllers) {
					controllers.setExecutor(new SimpleAsyncTaskExecutor("other-"));
					controllers.setBlockingMethodPredicate((method) -> ReactiveAdapterRegistry.getSharedInstance()
						.getAdapter(method.getReturnType().getParameterType()) == null);
				}
				return bean;
			}

		};
	}

}
