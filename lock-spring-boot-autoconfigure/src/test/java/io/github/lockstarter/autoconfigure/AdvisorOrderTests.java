package io.github.lockstarter.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.interceptor.ExclusiveRequestAdvisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class AdvisorOrderTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory")
		.withUserConfiguration(Around.class)
		.withBean(Service.class);

	@Test
	@DisplayName("By default, the lock is outside of the cache: a caller that finds a cached value has waited for the call that computed it")
	void outsideOfCache() {
		this.runner.run((context) -> {
			Service service = context.getBean(Service.class);
			assertThat(service.cached("taro")).isEqualTo(1);
			assertThat(service.cached("taro")).isEqualTo(1);
			try (Lease held = context.getBean(LockRegistry.class).acquire("cached:taro")) {
				assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> service.cached("taro"));
				assertThat(held.isHeld()).isTrue();
			}
		});
	}

	@Test
	@DisplayName("With the lock inside of the cache, a cached value needs no lock")
	void insideOfCache() {
		this.runner.withUserConfiguration(CacheFirst.class).withPropertyValues("lock.order=1").run((context) -> {
			Service service = context.getBean(Service.class);
			assertThat(service.cached("taro")).isEqualTo(1);
			try (Lease held = context.getBean(LockRegistry.class).acquire("cached:taro")) {
				assertThat(service.cached("taro")).isEqualTo(1);
				assertThat(held.isHeld()).isTrue();
			}
		});
	}

	@Test
	@DisplayName("lock.order moves the lock among other advice")
	void order() {
		this.runner.withUserConfiguration(CacheFirst.class).withPropertyValues("lock.order=-1").run((context) -> {
			Service service = context.getBean(Service.class);
			assertThat(service.cached("taro")).isEqualTo(1);
			try (Lease held = context.getBean(LockRegistry.class).acquire("cached:taro")) {
				assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> service.cached("taro"));
				assertThat(held.isHeld()).isTrue();
			}
		});
	}

	@Test
	@DisplayName("An @Async method acquires its lock on the task's thread, and a conflict completes its future")
	void async() {
		this.runner.run((context) -> {
			Service service = context.getBean(Service.class);
			try (Lease held = context.getBean(LockRegistry.class).acquire("async")) {
				Future<String> rejected = service.async();
				assertThatExceptionOfType(ExecutionException.class).isThrownBy(rejected::get)
					.withCauseInstanceOf(LockConflictException.class);
				assertThat(held.isHeld()).isTrue();
			}
			assertThat(service.async().get()).startsWith("held: true");
			context.getBean(LockRegistry.class).acquire("async").close();
		});
	}

	@Test
	@DisplayName("Advice inside of the lock has its invocation, even when it runs later on another thread")
	void adviceInside() {
		this.runner.run((context) -> {
			List<String> seen = new ArrayList<>();
			ProxyFactory factory = new ProxyFactory(new Reactive());
			factory.addAdvisor(ExposeInvocationInterceptor.ADVISOR);
			factory.addAdvisor(context.getBean(ExclusiveRequestAdvisor.class));
			factory.addAdvisor(new DefaultPointcutAdvisor((MethodInterceptor) (invocation) -> {
				seen.add(ExposeInvocationInterceptor.currentInvocation().getMethod().getName());
				return invocation.proceed();
			}));
			Reactive reactive = (Reactive) factory.getProxy();
			Mono<String> mono = reactive.mono("taro");
			assertThat(seen).isEmpty();
			assertThat(mono.block()).isEqualTo("taro");
			assertThat(mono.block()).isEqualTo("taro");
			assertThat(seen).containsExactly("mono", "mono");
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	@EnableAsync
	static class Around {

		@Bean
		ConcurrentMapCacheManager caches() {
			return new ConcurrentMapCacheManager();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(order = 0)
	static class CacheFirst {

	}

	static class Service {

		private int computed;

		@ExclusiveRequest(name = "cached", key = "#key")
		@Cacheable("values")
		public int cached(String key) {
			this.computed++;
			return this.computed;
		}

		@Async
		@ExclusiveRequest(name = "async")
		public CompletableFuture<String> async() {
			return CompletableFuture.completedFuture("held: true on " + Thread.currentThread().getName());
		}

	}

	static class Reactive {

		@ExclusiveRequest(name = "reactive", key = "#key")
		public Mono<String> mono(String key) {
			return Mono.just(key);
		}

	}

}
