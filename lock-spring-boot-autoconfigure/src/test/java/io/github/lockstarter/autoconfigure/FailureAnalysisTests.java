package io.github.lockstarter.autoconfigure;

import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.memory.MemoryLockStore;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * The failure analyses and warnings of an application that is configured wrongly.
 */
@ExtendWith(OutputCaptureExtension.class)
class FailureAnalysisTests {

	@ParameterizedTest(name = "{0}")
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					lock.ttl=0s                      | lock.ttl is 0s. The time to live (ttl) must be at least 1ms | Correct the value of lock.ttl.
					lock.ttl=soon                    | Property: lock.ttl                                  | 'soon' is not a valid duration
					lock.max-waiters=0               | lock.max-waiters is 0.                              | Correct the value of lock.max-waiters.
					lock.names.a.conflict-status=500 | lock.names.a.conflict-status is 500.                | 409, 422, 423 or 429
					lock.names.a.ttl=31m             | lock.names.a.ttl is 31m.                            | The longest hold
					lock.web.problem-base-uri=errors | lock.web.problem-base-uri is 'errors'. It must end with | Correct the value
					lock.web.problem-base-uri=a b/   | lock.web.problem-base-uri is 'a b/'. It must be the start of a URI | Correct the value
					lock.client.max-attempts=0       | lock.client.max-attempts is 0.                      | at least one attempt
					lock.client.max-time=2d          | lock.client.max-time is 2d.                         | at most 1d
					lock.store=hazelcast             | Property: lock.store                                | memory
					lock.names.a.store=jdcb          | Property: lock.names.a.store                        | dynamodb
					""")
	@DisplayName("The failure analysis of an invalid property names the property, its value and the action")
	void properties(String property, String description, String action, CapturedOutput output) {
		assertThatException().isThrownBy(() -> start(List.of(), property, "lock.max-hold=30m"));
		assertThat(output).contains("APPLICATION FAILED TO START", description, action)
			.doesNotContain("Bindable@", "\tat ");
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					lock.redis.key-prefix=          | lock.redis.key-prefix is blank. A prefix must not be blank | Correct the value of lock.redis.key-prefix.
					lock.redis.key-prefix={a}       | lock.redis.key-prefix is '{a}'.              | braces
					lock.memcached.servers=http://a | lock.memcached.servers has an invalid server | separate several servers
					""")
	@DisplayName("So does that of an invalid property of a store that is used, at startup even with lazy initialization")
	void propertiesOfStores(String property, String description, String action, CapturedOutput output) {
		String store = "lock.store=" + property.split("\\.")[1];
		assertThatException()
			.isThrownBy(() -> start(List.of(), store, property, "spring.main.lazy-initialization=true"));
		assertThat(output).contains("APPLICATION FAILED TO START", description, action)
			.doesNotContain("Bindable@", "\tat ");
		assertThatException().isThrownBy(() -> start(List.of(), store, property));
	}

	@Test
	@DisplayName("The failure analysis of a time to live that memcached cannot store names the property")
	void memcached(CapturedOutput output) {
		assertThatException().isThrownBy(() -> start(List.of(), "lock.store=memcached", "lock.ttl=31d"));
		assertThat(output).contains("APPLICATION FAILED TO START", "'31d'", "lock.ttl", "less than 30 days");
	}

	static Stream<Arguments> misuses() {
		return Stream.of(arguments(Misspelt.class, "\"#usrName\"", "Did you mean #userName?"),
				arguments(NoExpression.class, "\"#id +\"", "Correct the expression."),
				arguments(FinalMethod.class, "private, static or final", "public instance method"),
				arguments(FinalClass.class, "of the final class " + FinalClass.class.getName(),
						"In Kotlin, declare it open"),
				arguments(NoDuration.class, "ttl '5x' is not a valid duration", "Correct the annotation"),
				arguments(NoUnit.class, "ttl '5' has no unit: write 5s or 5ms", "Correct the annotation"),
				arguments(NoPlaceholder.class, "'no.such.ttl'", "Correct the annotation"),
				arguments(ReplayWithoutKey.class, "A replay needs a key", "Idempotency-Key"),
				arguments(SharedObject.class, "its type is not declared", "declare its type"),
				arguments(SharedStream.class, "cannot share or replay", "Return a value"),
				arguments(OnlyLease.class, "has a parameter of type Lease", "Annotate the method"));
	}

	@ParameterizedTest
	@MethodSource("misuses")
	@DisplayName("The failure analysis of an invalid annotation names the method and the action")
	void annotations(Class<?> type, String description, String action, CapturedOutput output) {
		assertThatException().isThrownBy(() -> start(List.of(type)));
		assertThat(output)
			.contains("APPLICATION FAILED TO START", type.getSimpleName() + ".method(", description, action)
			.doesNotContain("\tat ");
	}

	@Test
	@DisplayName("The failure analysis of two stores names both, and suggests @Primary")
	void twoStores(CapturedOutput output) {
		assertThatException().isThrownBy(() -> start(List.of(TwoStores.class)));
		assertThat(output).contains("APPLICATION FAILED TO START", "'one'", "'other'", "@Primary");
	}

	@Test
	@DisplayName("A lock inside the transaction logs a warning at startup; the default, outside, does not")
	void insideOfTransactions(CapturedOutput output) {
		start(List.of(Transactions.class));
		assertThat(output).doesNotContain("The order of transactions");
		start(List.of(OuterTransactions.class));
		assertThat(output).contains("The order of transactions is 7, that of locks", "Set lock.order below 7");
	}

	@Test
	@DisplayName("A time to live of less than a second, such as 10 without its unit, logs a warning at startup")
	void withoutUnit(CapturedOutput output) {
		start(List.of(), "lock.ttl=1s", "lock.names.a.ttl=1000");
		assertThat(output).doesNotContain("without a unit");
		start(List.of(), "lock.ttl=10", "lock.names.a.ttl=20");
		assertThat(output).contains("lock.ttl is 10 ms: ", "lock.names.a.ttl is 20 ms: ",
				"A time without a unit is in milliseconds");
	}

	private static void start(List<Class<?>> types, String... properties) {
		SpringApplication application = new SpringApplication(
				Stream.concat(Stream.of(TestServer.CompleteApplication.class), types.stream()).toArray(Class[]::new));
		application.setDefaultProperties(Map.of("lock.store", "memory"));
		TestServer.start(application, properties).close();
	}

	static class Misspelt {

		@ExclusiveRequest("#usrName")
		public void method(String userName) {
		}

	}

	static class NoExpression {

		@ExclusiveRequest("#id +")
		public void method(String id) {
		}

	}

	static class FinalMethod {

		@ExclusiveRequest
		public final void method() {
		}

	}

	static final class FinalClass {

		@ExclusiveRequest
		public void method() {
		}

	}

	static class NoDuration {

		@ExclusiveRequest(ttl = "5x")
		public void method() {
		}

	}

	static class NoUnit {

		@ExclusiveRequest(ttl = "5")
		public void method() {
		}

	}

	static class NoPlaceholder {

		@ExclusiveRequest(ttl = "${no.such.ttl}")
		public void method() {
		}

	}

	static class ReplayWithoutKey {

		@ExclusiveRequest(replay = "1h")
		public String method() {
			return "done";
		}

	}

	static class SharedObject {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		public Object method() {
			return "done";
		}

	}

	static class SharedStream {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		public InputStream method() {
			return InputStream.nullInputStream();
		}

	}

	@RestController
	static class OnlyLease {

		@PostMapping("/")
		public String method(Lease lease) {
			return "done";
		}

	}

	static class TwoStores {

		@Bean
		LockStore one() {
			return new MemoryLockStore();
		}

		@Bean
		LockStore other() {
			return new MemoryLockStore();
		}

	}

	@EnableTransactionManagement
	static class Transactions {

	}

	@EnableTransactionManagement(order = 7)
	static class OuterTransactions {

	}

}
