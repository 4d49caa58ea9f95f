package io.github.lockstarter.development;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.function.UnaryOperator;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.context.config.annotation.RefreshScope;
import org.springframework.cloud.context.refresh.ContextRefresher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.LocalRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application whose properties change while it runs, as by the endpoint
 * {@code refresh}.
 */
@ExtendWith(OutputCaptureExtension.class)
class RefreshTests {

	private final Properties properties = new Properties();

	@TempDir
	private Path folder;

	private ConfigurableApplicationContext context;

	@BeforeEach
	void start() throws IOException {
		this.properties.put("lock.names.orders.ttl", "20s");
		this.properties.put("currency", "EUR");
		start("memory");
	}

	private void start(String store) throws IOException {
		write();
		this.context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("lock.store=" + store)
			.run("--spring.config.location=" + this.folder.toUri());
	}

	@AfterEach
	void stop() {
		this.context.close();
	}

	@Test
	@DisplayName("A changed property of a lock has no effect, and one warning names it and says that it needs a restart")
	void changed(CapturedOutput output) throws IOException {
		this.properties.put("lock.names.orders.ttl", "30s");
		assertThat(refresh()).containsExactly("lock.names.orders.ttl");
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains("[lock.names.orders.ttl] have no effect before a restart");
		assertThat(refresh()).isEmpty();
		assertThat(warnings(output)).hasSize(1);
		try (Lease lease = locks().acquire("orders:1")) {
			assertThat(lease.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(20));
		}
	}

	@Test
	@DisplayName("A value with which the application would not start is reported, too")
	void invalid(CapturedOutput output) throws IOException {
		this.properties.put("lock.ttl", "soon");
		refresh();
		assertThat(warnings(output)).singleElement().asString().contains("[lock.ttl]");
	}

	@Test
	@DisplayName("A changed property of the store is reported, too")
	void store(CapturedOutput output) throws IOException {
		this.properties.put("lock.replay.max-results", "7");
		refresh();
		assertThat(warnings(output)).singleElement().asString().contains("[lock.replay.max-results]");
	}

	@Test
	@DisplayName("Changes elsewhere, of other properties under lock, and of those of a store that is not used log no warning")
	void others(CapturedOutput output) throws IOException {
		this.properties.put("currency", "JPY");
		this.properties.put("lock.door.code", "1234");
		this.properties.put("lock.jdbc.table", "doors");
		assertThat(refresh()).containsExactlyInAnyOrder("currency", "lock.door.code", "lock.jdbc.table");
		assertThat(warnings(output)).isEmpty();
	}

	@Test
	@DisplayName("Methods of a bean in the refresh scope are locked, by the class and by an interface, before and after a refresh")
	void refreshScope() throws IOException {
		for (String currency : List.of("EUR", "JPY")) {
			this.properties.put("currency", currency);
			refresh();
			assertLocked(this.context.getBean(Prices.class)::set, "prices:1", currency);
			assertLocked(this.context.getBean(Rates.class)::set, "rates:1", currency);
		}
	}

	@Test
	@DisplayName("A lock that is held during a refresh stays held")
	void heldDuringRefresh() throws IOException {
		try (Lease lease = locks().acquire("prices:1")) {
			this.properties.put("currency", "JPY");
			refresh();
			assertThat(lease.isHeld()).isTrue();
			assertThatExceptionOfType(LockConflictException.class)
				.isThrownBy(() -> this.context.getBean(Prices.class).set("1"));
		}
	}

	@Test
	@DisplayName("After a refresh with a new password of Redis, connections are made with it")
	void rotatedPassword() throws IOException {
		try (LocalRedis redis = LocalRedis.started()) {
			redis.ask("ACL SETUSER locks on >first ~* &* +@all");
			redis.ask("ACL SETUSER default resetkeys");
			stop();
			this.properties.put("spring.data.redis.host", "127.0.0.1");
			this.properties.put("spring.data.redis.port", Integer.toString(redis.port()));
			this.properties.put("spring.data.redis.username", "locks");
			this.properties.put("spring.data.redis.password", "first");
			start("redis");
			Awaitility.await().ignoreExceptions().untilAsserted(() -> locks().acquire("prices:1").close());
			redis.ask("ACL SETUSER locks resetpass >second");
			this.properties.put("spring.data.redis.password", "second");
			assertThat(refresh()).containsExactly("spring.data.redis.password");
			redis.ask("CLIENT KILL USER locks");
			Awaitility.await().ignoreExceptions().until(() -> {
				locks().acquire("prices:1").close();
				return redis.ask("CLIENT LIST").contains("user=locks");
			});
		}
	}

	private void assertLocked(UnaryOperator<String> method, String lock, String expected) {
		assertThat(method.apply("1")).isEqualTo(expected);
		try (Lease other = locks().acquire(lock)) {
			assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> method.apply("1"));
			assertThat(method.apply("2")).isEqualTo(expected);
			assertThat(other.isHeld()).isTrue();
		}
	}

	private void write() throws IOException {
		try (Writer file = Files.newBufferedWriter(this.folder.resolve("application.properties"))) {
			this.properties.store(file, null);
		}
	}

	private Set<String> refresh() throws IOException {
		write();
		return this.context.getBean(ContextRefresher.class).refresh();
	}

	private LockRegistry locks() {
		return this.context.getBean(LockRegistry.class);
	}

	private static List<String> warnings(CapturedOutput output) {
		return output.getAll().lines().filter((line) -> line.contains("before a restart")).toList();
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(Prices.class)
	static class Application {

		@Bean
		@RefreshScope
		Rates rates(@Value("${currency}") String currency) {
			return new DefaultRates(currency);
		}

	}

	@RefreshScope
	static class Prices {

		private final String currency;

		Prices(@Value("${currency}") String currency) {
			this.currency = currency;
		}

		@ExclusiveRequest(name = "prices", key = "#id")
		public String set(String id) {
			return this.currency;
		}

	}

	interface Rates {

		@ExclusiveRequest(name = "rates", key = "#id")
		String set(String id);

	}

	static class DefaultRates implements Rates {

		private final String currency;

		DefaultRates(String currency) {
			this.currency = currency;
		}

		@Override
		public String set(String id) {
			return this.currency;
		}

	}

}
