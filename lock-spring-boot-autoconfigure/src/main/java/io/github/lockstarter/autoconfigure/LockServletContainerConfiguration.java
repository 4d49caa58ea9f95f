package io.github.lockstarter.autoconfigure;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnThreading;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

import io.github.lockstarter.interceptor.RequestSupport;
import io.github.lockstarter.registry.WaitingThreadLimit;
import io.github.lockstarter.web.servlet.ServletCurrentRequest;

/**
 * Configures locks in a servlet container, whatever handles its requests: Spring MVC, or
 * Jersey without Spring MVC.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
class LockServletContainerConfiguration {

	private static final Log logger = LogFactory.getLog(LockServletContainerConfiguration.class);

	/**
	 * Spring MVC has support of its own, which knows the handler of a request as well.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingClass("org.springframework.web.servlet.DispatcherServlet")
	static RequestSupport exclusiveRequestServletRequestSupport() {
		return ServletCurrentRequest::get;
	}

	/** With virtual threads, a container needs no reserve. */
	@Bean
	@ConditionalOnThreading(Threading.PLATFORM)
	static WaitingThreadLimit exclusiveRequestWaitingThreadLimit(ApplicationContext context,
			ObjectProvider<LockProperties> properties) {
		return new WaitingThreadLimit(ServletCurrentRequest::isOfThread,
				() -> properties.getObject().web().waitingThreads(ContainerThreads.max(context)),
				(max) -> logger.warn(
						"%d request threads wait for locks, so further requests that find their lock held are rejected (wait-queue-full). Raise the number of threads of the container or lock.web.max-waiting-threads, use virtual threads, or set lock.web.waiting=suspended. This is logged once."
							.formatted(max)));
	}

}
