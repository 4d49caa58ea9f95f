package io.github.lockstarter.autoconfigure;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Import;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.servlet.DispatcherServlet;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.registry.WaitingThreadLimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks of requests that another framework than Spring MVC handles, without Spring MVC.
 */
class ServletContainerTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withClassLoader(new FilteredClassLoader(DispatcherServlet.class))
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory")
		.withUserConfiguration(Application.class);

	@AfterEach
	void end() {
		RequestContextHolder.resetRequestAttributes();
	}

	@Test
	@DisplayName("A key reads the request of the thread, and the threads of requests that may wait are limited")
	void request() {
		this.runner.run((context) -> {
			MockHttpServletRequest request = new MockHttpServletRequest("POST", "/orders/1");
			request.addHeader("X-Order", "7");
			RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
			Orders orders = context.getBean(Orders.class);
			orders.order();
			try (Lease held = context.getBean(LockRegistry.class).acquire("order:7 /orders/1 null")) {
				assertThatExceptionOfType(LockConflictException.class).as("besides %s", held.key())
					.isThrownBy(orders::order);
			}
			assertThat(context).hasSingleBean(WaitingThreadLimit.class);
		});
	}

	@Import(Orders.class)
	static class Application {

	}

	/** Public, because the class loader of the context is another one. */
	public static class Orders {

		@ExclusiveRequest(name = "order", key = "header('X-Order') + ' ' + path + ' ' + pathVariable('id')")
		public void order() {
		}

	}

}
