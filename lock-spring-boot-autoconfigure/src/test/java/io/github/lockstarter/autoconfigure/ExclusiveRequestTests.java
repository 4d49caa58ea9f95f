package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.ApplicationObjectSupport;
import org.springframework.core.annotation.AliasFor;
import org.springframework.http.ResponseEntity;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.completion.ReactiveTypeAdapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.catchThrowable;

class ExclusiveRequestTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory");

	@ParameterizedTest
	@ValueSource(strings = { "spring.aop.auto=true", "spring.aop.auto=false", "spring.aop.proxy-target-class=false" })
	@DisplayName("While a call runs, a call with the same key is rejected, and a call with another key runs")
	void excludes(String property) {
		this.runner.withPropertyValues(property).withBean(Service.class).run((context) -> {
			Service service = context.getBean(Service.class);
			service.register("taro", () -> {
				assertRejected(() -> service.register("taro", () -> "second"));
				assertThat(service.register("jiro", () -> "other")).isEqualTo("other");
				return "first";
			});
			assertThat(service.register("taro", () -> "later")).isEqualTo("later");
		});
	}

	@Test
	@DisplayName("The lock is released when the method fails, and the exception is passed on unchanged")
	void releasesOnFailure() {
		this.runner.withBean(Service.class).run((context) -> {
			Service service = context.getBean(Service.class);
			assertThatIOException().isThrownBy(() -> service.register("taro", () -> {
				throw new IOException("own");
			})).withMessage("own");
			assertThat(service.register("taro", () -> "later")).isEqualTo("later");
		});
	}

	@Test
	@DisplayName("Without a key, a method has one lock, and each overload has its own")
	void defaultNames() {
		this.runner.withBean(Service.class).run((context) -> {
			Service service = context.getBean(Service.class);
			service.overloaded("a", () -> {
				assertRejected(() -> service.overloaded("b", () -> "second"));
				return service.overloaded(1, () -> "other");
			});
		});
	}

	@Test
	@DisplayName("Methods that share a name share their locks")
	void sharedName() {
		this.runner.withBean(Service.class).run((context) -> context.getBean(Service.class).shared("taro", () -> {
			assertRejected(() -> context.getBean(Service.class).alsoShared("taro", () -> "second"));
			return context.getBean(Service.class).alsoShared("jiro", () -> "other");
		}));
	}

	@Test
	@DisplayName("If the condition is false, no lock is acquired")
	void condition() {
		this.runner.withBean(Service.class).run((context) -> {
			Service service = context.getBean(Service.class);
			service.conditional("taro", false, () -> service.conditional("taro", false, () -> "both"));
			service.conditional("taro", true, () -> {
				assertRejected(() -> service.conditional("taro", true, () -> "second"));
				return "first";
			});
		});
	}

	@Test
	@DisplayName("A call whose key is null, blank or unreachable is rejected, and no lock is acquired")
	void missingKey() {
		this.runner.withBean(Service.class).run((context) -> {
			Service service = context.getBean(Service.class);
			assertThatExceptionOfType(MissingLockKeyException.class).isThrownBy(() -> service.register(null, () -> "x"))
				.satisfies((ex) -> assertThat(ex.getStatusCode().value()).isEqualTo(400));
			assertThatExceptionOfType(MissingLockKeyException.class).isThrownBy(() -> service.register(" ", () -> "x"));
			assertThatExceptionOfType(MissingLockKeyException.class)
				.isThrownBy(() -> service.nested(new Order(null), () -> "x"));
			assertThatExceptionOfType(MissingLockKeyException.class).isThrownBy(() -> service.nested(null, () -> "x"));
		});
	}

	@Test
	@DisplayName("An annotation on a class covers all non-private methods, and an annotation on a method replaces it")
	void onClass() {
		this.runner.withBean(AnnotatedClass.class).run((context) -> {
			AnnotatedClass bean = context.getBean(AnnotatedClass.class);
			bean.one("taro", () -> {
				assertRejected(() -> bean.one("taro", () -> "second"));
				assertRejected(() -> bean.two("taro", () -> "second"));
				assertRejected(() -> bean.packagePrivate("taro", () -> "second"));
				assertThat(bean).hasToString("not locked");
				return bean.own("taro", () -> "other");
			});
		});
	}

	@Test
	@DisplayName("An annotation on an interface applies to a bean that is a proxy made by another library")
	void onForeignProxy() {
		this.runner.withUserConfiguration(ForeignProxyConfiguration.class).run((context) -> {
			Contract<String> bean = context.getBean(Contract.class);
			bean.call("taro", () -> {
				assertRejected(() -> bean.call("taro", () -> "second"));
				return bean.call("jiro", () -> "other");
			});
		});
	}

	@Test
	@DisplayName("A result that turns out to be unfinished, and does not report completion, is an error")
	void unfinishedResult() {
		this.runner.withBean(Service.class).run((context) -> {
			Service service = context.getBean(Service.class);
			assertThat(service.undeclared("done")).isEqualTo("done");
			assertThatExceptionOfType(LockConfigurationException.class)
				.isThrownBy(() -> service.undeclared(new FutureTask<>(() -> "later")))
				.withMessageContaining("Service.undeclared");
			assertThatExceptionOfType(LockConfigurationException.class)
				.isThrownBy(() -> service.undeclared(ResponseEntity.ok((Callable<String>) () -> "later")));
		});
	}

	@Test
	@DisplayName("A record that implements a reactive type keeps the lock until its work ends")
	void reactiveRecord() {
		this.runner.withBean(Service.class).run((context) -> {
			Service service = context.getBean(Service.class);
			Mono<String> work = Mono.fromCallable(() -> {
				assertRejected(() -> service.undeclared("second"));
				return "first";
			});
			for (Object result : new Object[] { new MyPublisher(work),
					new MyFlow(JdkFlowAdapter.publisherToFlowPublisher(work)) }) {
				Object returned = service.undeclared(result);
				assertRejected(() -> service.undeclared("second"));
				assertThat(
						Flux.from(ReactiveTypeAdapter.adapter(returned.getClass()).toPublisher(returned)).blockLast())
					.isEqualTo("first");
				assertThat(service.undeclared("later")).isEqualTo("later");
			}
		});
	}

	@Test
	@DisplayName("A return type that only the bean's class specifies determines how long the lock is held")
	void genericResult() {
		this.runner.withBean(OfMono.class).run((context) -> {
			OfMono bean = context.getBean(OfMono.class);
			Mono<String> mono = bean.generic(() -> Mono.just("done"));
			assertThat(mono.block()).isEqualTo("done");
			bean.generic(() -> Mono.fromCallable(() -> {
				assertRejected(() -> mono.block());
				return "first";
			})).block();
		});
	}

	@Test
	@DisplayName("A meta-annotation's attributes are applied")
	void metaAnnotation() {
		this.runner.withBean(Service.class).run((context) -> context.getBean(Service.class).meta("taro", () -> {
			assertRejected(() -> context.getBean(Service.class).meta("taro", () -> "second"));
			return context.getBean(Service.class).meta("jiro", () -> "other");
		}));
	}

	@ParameterizedTest
	@ValueSource(strings = { "true", "false" })
	@DisplayName("An annotation on an interface method applies through JDK proxies and class proxies")
	void onInterface(String proxyTargetClass) {
		this.runner.withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
			.withUserConfiguration(InterfaceConfiguration.class)
			.run((context) -> {
				Contract<String> bean = context.getBean(Contract.class);
				bean.call("taro", () -> {
					assertRejected(() -> bean.call("taro", () -> "second"));
					return bean.call("jiro", () -> "other");
				});
			});
	}

	/** Runs on another thread: a call within the holder's call would join its lease. */
	private static void assertRejected(ThrowingCallable call) {
		CompletableFuture<Throwable> rejection = CompletableFuture.supplyAsync(() -> catchThrowable(call));
		assertThat(rejection).succeedsWithin(Duration.ofMinutes(1)).isInstanceOf(LockConflictException.class);
	}

	static class OfAny<T> {

		@ExclusiveRequest
		public T generic(Supplier<T> result) {
			return result.get();
		}

	}

	static class OfMono extends OfAny<Mono<String>> {

	}

	record Order(String number) {
	}

	record MyPublisher(Publisher<String> source) implements Publisher<String> {

		@Override
		public void subscribe(Subscriber<? super String> subscriber) {
			this.source.subscribe(subscriber);
		}

	}

	record MyFlow(Flow.Publisher<String> source) implements Flow.Publisher<String> {

		@Override
		public void subscribe(Flow.Subscriber<? super String> subscriber) {
			this.source.subscribe(subscriber);
		}

	}

	static class Service {

		@ExclusiveRequest("#userName")
		public String register(String userName, Callable<String> work) throws Exception {
			return work.call();
		}

		@ExclusiveRequest
		public String overloaded(String value, Callable<String> work) throws Exception {
			return work.call();
		}

		@ExclusiveRequest
		public String overloaded(int value, Callable<String> work) throws Exception {
			return work.call();
		}

		@ExclusiveRequest(name = "shared", key = "#p0")
		public String shared(String key, Callable<String> work) throws Exception {
			return work.call();
		}

		@ExclusiveRequest(name = "shared", key = "#p0")
		public String alsoShared(String key, Callable<String> work) throws Exception {
			return work.call();
		}

		@ExclusiveRequest(key = "#key", condition = "#exclusive")
		public String conditional(String key, boolean exclusive, Callable<String> work) throws Exception {
			return work.call();
		}

		@ExclusiveRequest(key = "#order.number.length()")
		public String nested(Order order, Callable<String> work) throws Exception {
			return work.call();
		}

		@ExclusiveRequest
		public Object undeclared(Object result) {
			return result;
		}

		@OncePerKey("#key")
		public String meta(String key, Callable<String> work) throws Exception {
			return work.call();
		}

	}

	@ExclusiveRequest(name = "class", key = "#key")
	static class AnnotatedClass extends ApplicationObjectSupport implements InitializingBean {

		@Override
		public void afterPropertiesSet() {
		}

		public String one(String key, Callable<String> work) throws Exception {
			return work.call();
		}

		public String two(String key, Callable<String> work) throws Exception {
			return work.call();
		}

		String packagePrivate(String key, Callable<String> work) throws Exception {
			return work.call();
		}

		@Override
		public String toString() {
			return "not locked";
		}

		private String unseen() {
			return "private";
		}

		@ExclusiveRequest(key = "#key")
		public String own(String key, Callable<String> work) throws Exception {
			return work.call();
		}

	}

	@ExclusiveRequest
	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@interface OncePerKey {

		@AliasFor(annotation = ExclusiveRequest.class, attribute = "key")
		String value();

	}

	interface Contract<T> {

		@ExclusiveRequest(key = "#p0")
		String call(T key, Callable<String> work) throws Exception;

	}

	static class ContractBean implements Contract<String> {

		@Override
		public String call(String key, Callable<String> work) throws Exception {
			return work.call();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InterfaceConfiguration {

		@Bean
		Contract<String> contract() {
			return new ContractBean();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ForeignProxyConfiguration {

		@Bean
		Contract<?> contract() {
			return (Contract<?>) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Contract.class },
					(proxy, method, args) -> (method.getName().equals("call")) ? ((Callable<?>) args[1]).call()
							: method.invoke(this, args));
		}

	}

}
