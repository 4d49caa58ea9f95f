package io.github.lockstarter.compatibility.proxy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer;
import org.springframework.web.context.annotation.RequestScope;
import org.springframework.web.context.annotation.SessionScope;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import org.springframework.web.service.registry.ImportHttpServices;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.compatibility.Locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.verify;

/**
 * Annotated methods of beans that other advice, a scope, a factory or a test has made
 * proxies of.
 */
@SpringBootTest(properties = { "lock.store=memory", "spring.cache.type=simple" })
class ProxiedBeansTests {

	@Autowired
	private ApplicationContext context;

	@Autowired
	@Lazy
	private Generic<String> later;

	@MockitoSpyBean(name = "spiedClass")
	private SpiedClass spiedClass;

	@MockitoSpyBean(name = "spiedInterface")
	private Orders spiedInterface;

	@ParameterizedTest
	@ValueSource(strings = { "transactionalClass", "transactionalInterface", "retryable", "limited", "cacheable",
			"requestScoped", "sessionScoped", "prototypeByInterface", "ofFactory", "spiedClass", "spiedInterface",
			"client" })
	@DisplayName("An annotated method of a bean that is a proxy has its lock")
	void locked(String bean) {
		assertLocked(this.context.getBean(bean, Orders.class)::process);
	}

	@Test
	@DisplayName("A client that Spring has registered by its interface has its locks")
	void registeredClient() {
		assertLocked(this.context.getBean(RegisteredClient.class)::process);
	}

	@Test
	@DisplayName("A method of a generic interface has its lock, also by a lazy proxy")
	void generic() {
		assertLocked(this.later::process);
	}

	@Test
	@DisplayName("An @Async method has its lock on the thread of its task")
	void async() {
		assertLocked((id) -> {
			try {
				return this.context.getBean(Asynchronous.class).process(id).join();
			}
			catch (CompletionException ex) {
				throw (RuntimeException) ex.getCause();
			}
		});
	}

	@Test
	@DisplayName("A spy has recorded the calls that had the lock, and not those that were rejected")
	void spied() {
		new Locks(this.context).assertLocked("order", this.spiedInterface::process);
		verify(this.spiedInterface, atLeastOnce()).process("43");
	}

	@Test
	@DisplayName("A failing method is retried under one lock")
	void retried() {
		Failing failing = this.context.getBean(Failing.class);
		assertThatIllegalStateException().isThrownBy(() -> failing.process("42"));
		assertThat(failing.attempts()).isEqualTo(3);
		failing.succeedFromNowOn();
		assertLocked(failing::process);
	}

	private void assertLocked(UnaryOperator<String> call) {
		new Locks(this.context).assertLocked("order", (id) -> assertThat(call.apply(id)).isEqualTo(id));
	}

	interface Orders {

		@ExclusiveRequest(name = "order", key = "#id")
		String process(String id);

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = R2dbcAutoConfiguration.class)
	@EnableAsync
	@EnableCaching
	@EnableResilientMethods
	@ImportHttpServices(types = RegisteredClient.class)
	static class Application {

		@Bean
		TransactionalClass transactionalClass() {
			return new TransactionalClass();
		}

		@Bean
		TransactionalOrders transactionalInterface() {
			return new InTransaction();
		}

		@Bean
		RetryableOrders retryable() {
			return new RetryableOrders();
		}

		@Bean
		Failing failing() {
			return new Failing();
		}

		@Bean
		Limited limited() {
			return new Limited();
		}

		@Bean
		Cached cacheable() {
			return new Cached();
		}

		@Bean
		@RequestScope
		SpiedClass requestScoped() {
			return new SpiedClass();
		}

		@Bean
		@SessionScope
		SpiedClass sessionScoped() {
			return new SpiedClass();
		}

		@Bean
		@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.INTERFACES)
		Orders prototypeByInterface() {
			return new SpiedClass();
		}

		@Bean
		OrdersFactory ofFactory() {
			return new OrdersFactory();
		}

		@Bean
		SpiedClass spiedClass() {
			return new SpiedClass();
		}

		@Bean
		Orders spiedInterface() {
			return new Plain();
		}

		@Bean
		Asynchronous asynchronous() {
			return new Asynchronous();
		}

		@Bean
		Generic<String> generic() {
			return new OfText();
		}

		@Bean
		Client client() {
			RestClient echo = echo(RestClient.builder()).build();
			return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(echo))
				.build()
				.createClient(Client.class);
		}

		@Bean
		RestClientHttpServiceGroupConfigurer echoes() {
			return (groups) -> groups.forEachClient((group, builder) -> echo(builder));
		}

		/** Responds to each request with the last part of its path. */
		private static RestClient.Builder echo(RestClient.Builder builder) {
			return builder.baseUrl("http://localhost")
				.requestInterceptor((request, body, execution) -> new MockClientHttpResponse(
						request.getURI().getPath().substring(1).getBytes(), HttpStatus.OK));
		}

	}

	static class Plain implements Orders {

		@Override
		public String process(String id) {
			return id;
		}

	}

	static class TransactionalClass implements Orders {

		@Override
		@Transactional
		public String process(String id) {
			assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
			return id;
		}

	}

	interface TransactionalOrders extends Orders {

		@Override
		@Transactional
		@ExclusiveRequest(name = "order", key = "#id")
		String process(String id);

	}

	static class InTransaction extends TransactionalClass implements TransactionalOrders {

		@Override
		public String process(String id) {
			return super.process(id);
		}

	}

	static class RetryableOrders implements Orders {

		@Override
		@Retryable
		public String process(String id) {
			return id;
		}

	}

	static class Failing {

		private final AtomicInteger attempts = new AtomicInteger();

		private volatile boolean succeeds;

		@Retryable(maxRetries = 2, delay = 0)
		@ExclusiveRequest(name = "order", key = "#id")
		String process(String id) {
			if (this.succeeds) {
				return id;
			}
			this.attempts.incrementAndGet();
			throw new IllegalStateException("failed as asked");
		}

		int attempts() {
			return this.attempts.get();
		}

		void succeedFromNowOn() {
			this.succeeds = true;
		}

	}

	static class Limited implements Orders {

		@Override
		@ConcurrencyLimit(1)
		public String process(String id) {
			return id;
		}

	}

	static class Cached implements Orders {

		@Override
		@Cacheable("orders")
		public String process(String id) {
			return id;
		}

	}

	static class SpiedClass implements Orders {

		@Override
		@ExclusiveRequest(name = "order", key = "#id")
		public String process(String id) {
			return id;
		}

	}

	static class OrdersFactory implements FactoryBean<Orders> {

		@Override
		public Orders getObject() {
			return new Plain();
		}

		@Override
		public Class<?> getObjectType() {
			return Orders.class;
		}

	}

	static class Asynchronous {

		@Async
		@ExclusiveRequest(name = "order", key = "#id")
		CompletableFuture<String> process(String id) {
			return CompletableFuture.completedFuture(id);
		}

	}

	interface Generic<T> {

		T process(T id);

	}

	static class OfText implements Generic<String> {

		@Override
		@ExclusiveRequest(name = "order", key = "#id")
		public String process(String id) {
			return id;
		}

	}

	interface Client extends Orders {

		@Override
		@PostExchange("/{id}")
		@ExclusiveRequest(name = "order", key = "#id")
		String process(@PathVariable String id);

	}

	interface RegisteredClient {

		@PostExchange("/{id}")
		@ExclusiveRequest(name = "order", key = "#id")
		String process(@PathVariable String id);

	}

}
