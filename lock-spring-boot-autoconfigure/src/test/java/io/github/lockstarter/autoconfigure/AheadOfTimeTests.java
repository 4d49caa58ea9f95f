package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.List;

import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;
import org.springframework.util.ReflectionUtils;

import io.github.lockstarter.annotation.ExclusiveRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The runtime hints that the build records for a native image. The sample's tests show
 * that the generated code works.
 */
class AheadOfTimeTests {

	private static RuntimeHints hints;

	@BeforeAll
	static void process() {
		System.setProperty(AbstractAotProcessor.AOT_PROCESSING, "true");
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.register(AopAutoConfiguration.class, DataRedisAutoConfiguration.class, LockAutoConfiguration.class,
					Orders.class, Everything.class);
			DefaultGenerationContext generation = new DefaultGenerationContext(
					new ClassNameGenerator(ClassName.get(AheadOfTimeTests.class)), new InMemoryGeneratedFiles());
			new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
			hints = generation.getRuntimeHints();
		}
		finally {
			System.clearProperty(AbstractAotProcessor.AOT_PROCESSING);
		}
	}

	@Test
	@DisplayName("Proxies are created at build time, even if an attribute has a value only at run time")
	void proxies() {
		assertThat(List.of(Orders.class, Everything.class)).allSatisfy((type) -> assertThat(
				RuntimeHintsPredicates.reflection().onType(TypeReference.of(type.getName() + "$$SpringCGLIB$$0")))
			.accepts(hints));
	}

	@ParameterizedTest
	@ValueSource(strings = { "getMethod", "getArgs", "getPrincipal", "getPath", "header" })
	@DisplayName("Key expressions can read all properties of the call")
	void call(String method) throws ClassNotFoundException {
		assertThat(RuntimeHintsPredicates.reflection()
			.onMethodInvocation("io.github.lockstarter.key.LockInvocation", method)).accepts(hints);
	}

	@Test
	@DisplayName("Annotated methods are found, whether the annotation is on the method, its class or an interface")
	void annotatedMethods() {
		assertThat(List.of(method(Orders.class, "place"), method(Orders.class, "merge"), method(Orders.class, "cancel"),
				method(Everything.class, "first"), method(Everything.class, "second")))
			.allSatisfy((method) -> assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(method))
				.accepts(hints));
	}

	@Test
	@DisplayName("Key expressions can read the properties of parameter types")
	void parameters() {
		assertThat(List.of(method(Order.class, "number"), method(Order.class, "customer"),
				method(Customer.class, "getName"), method(Line.class, "article")))
			.allSatisfy((method) -> assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(method))
				.accepts(hints));
	}

	@Test
	@DisplayName("Results and the metadata stored with them can be serialized and deserialized")
	void results() throws ClassNotFoundException {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(method(Receipt.class, "text")))
			.accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection()
			.onMethodInvocation("io.github.lockstarter.result.ResultHead", "fingerprint")).accepts(hints);
	}

	@ParameterizedTest
	@ValueSource(strings = { "jakarta.servlet.http.HttpServletRequest",
			"org.springframework.web.servlet.HandlerMapping", "reactor.core.publisher.Flux",
			"io.netty.handler.timeout.TimeoutException", "org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter" })
	@DisplayName("Optional classes are found by name")
	void optional(String type) {
		assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of(type))).accepts(hints);
	}

	@ParameterizedTest
	@ValueSource(strings = { "messages.properties", "messages_ja.properties" })
	@DisplayName("The messages of problem details are included, in all languages")
	void messages(String file) {
		assertThat(RuntimeHintsPredicates.resource().forResource("io/github/lockstarter/" + file)).accepts(hints);
	}

	@ParameterizedTest
	@ValueSource(classes = { LockProperties.class, LockProperties.Named.class, LockProperties.Web.class,
			LockProperties.Share.class, LockProperties.Replay.class, RedisProperties.class, JdbcProperties.class,
			MemoryProperties.class, MemcachedProperties.class, DynamoDbProperties.class })
	@DisplayName("Properties can be bound, and the names of those of a store that is not used are known")
	void properties(Class<?> type) {
		assertThat(RuntimeHintsPredicates.reflection().onConstructorInvocation(type.getDeclaredConstructors()[0]))
			.accepts(hints);
	}

	@Test
	@DisplayName("The generated code defines the store that the name of a lock chooses, which is created on demand and not injected")
	void storeOfOneLock() throws IOException {
		InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			TestPropertyValues.of("lock.names.orders.store=memory").applyTo(context);
			context.register(AopAutoConfiguration.class, DataRedisAutoConfiguration.class, LockAutoConfiguration.class);
			DefaultGenerationContext generation = new DefaultGenerationContext(
					new ClassNameGenerator(ClassName.get(AheadOfTimeTests.class)), files);
			new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
			generation.writeGeneratedContent();
		}
		String code = files.getGeneratedFileContent(GeneratedFiles.Kind.SOURCE,
				"io/github/lockstarter/autoconfigure/MemoryStoreConfiguration__BeanDefinitions.java");
		assertThat(code)
			.contains("exclusiveRequestNamedMemoryLockStore", "setAutowireCandidate(false)", "setLazyInit(true)")
			.doesNotContain("\"exclusiveRequestMemoryLockStore\"");
		assertThat(files.getGeneratedFiles(GeneratedFiles.Kind.SOURCE).keySet())
			.map((file) -> file.replaceAll(".*/", ""))
			.contains("LockStoresConfiguration__BeanDefinitions.java")
			.doesNotContain("JdbcStoreConfiguration__BeanDefinitions.java");
	}

	@Test
	@DisplayName("Classes of the servlet API are found by name")
	void servletApi() {
		assertThat(RuntimeHintsPredicates.reflection().onType(HttpServletRequest.class)).accepts(hints);
	}

	private static Method method(Class<?> type, String name) {
		Method method = ReflectionUtils.findMethod(type, name, (Class<?>[]) null);
		assertThat(method).as(name).isNotNull();
		return method;
	}

	interface Cancellation {

		@ExclusiveRequest(key = "#lines[0].article")
		void cancel(List<Line> lines);

	}

	static class Orders implements Cancellation {

		@ExclusiveRequest(name = "orders", key = "#order.customer.name", ttl = "${known.only.where.it.runs}")
		Receipt place(Order order) {
			return new Receipt("");
		}

		@ExclusiveRequest(name = "orders", key = "#from")
		@ExclusiveRequest(name = "orders", key = "#to")
		void merge(String from, String to) {
		}

		@Override
		public void cancel(List<Line> lines) {
		}

	}

	@ExclusiveRequest
	static class Everything {

		void first() {
		}

		void second(Line line) {
		}

	}

	record Order(long number, Customer customer) {
	}

	record Receipt(String text) {
	}

	record Line(String article) {
	}

	static class Customer {

		public String getName() {
			return "taro";
		}

	}

}
