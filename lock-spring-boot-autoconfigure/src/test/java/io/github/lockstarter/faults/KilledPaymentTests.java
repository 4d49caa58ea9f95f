package io.github.lockstarter.faults;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import jakarta.servlet.http.HttpServletRequest;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.codec.autoconfigure.CodecsAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.HttpHandlerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.IdempotencyRegistry;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.autoconfigure.LockAutoConfiguration;
import io.github.lockstarter.testing.TestDatabase;
import io.github.lockstarter.testing.TestJvm;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An instance that is killed or paused while it makes payments. Its client repeats each
 * payment at another instance, with the same {@code Idempotency-Key} until it gets a
 * response. Every second kill, the first one included, is right after the commit, the
 * others are at random times.
 * <p>
 * {@code -Dkilled-payments=300} makes that number of payments instead of the few of each
 * build.
 */
@Tag("database")
@Timeout(value = 2, unit = TimeUnit.HOURS)
class KilledPaymentTests {

	private static final int PAYMENTS = Integer.getInteger("killed-payments", 2);

	private static final int LONGEST_PAYMENT_MILLIS = 10;

	private static final Duration TTL = Duration.ofSeconds(1);

	private static final String[] IN_DATABASE = { "lock.store=jdbc", "lock.jdbc.initialize-schema=always",
			"lock.jdbc.table=payment_locks" };

	/** By class and properties. */
	private static final Map<List<?>, Instances> instances = new HashMap<>();

	private final Random random = new Random();

	private final HttpClient client = HttpClient.newHttpClient();

	@AfterAll
	static void stopInstances() {
		instances.values().forEach(Instances::close);
	}

	@ParameterizedTest
	@MethodSource("io.github.lockstarter.testing.TestDatabase#servers")
	@DisplayName("With locks in the payments' database, every payment is made once, and each repetition gets the first response")
	void sameDatabase(TestDatabase database) {
		assertThat(paymentsMadeTwice("/payments", database, servlet(database))).isZero();
	}

	@ParameterizedTest
	@MethodSource("io.github.lockstarter.testing.TestDatabase#servers")
	@DisplayName("With locks in the payments' database, every payment as idempotent work is made once, and each repetition gets the first response")
	void idempotentWork(TestDatabase database) {
		assertThat(paymentsMadeTwice("/work", database, servlet(database))).isZero();
	}

	@ParameterizedTest
	@MethodSource("io.github.lockstarter.testing.TestDatabase#servers")
	@DisplayName("With locks in the payments' database, every payment of a reactive instance is made once, and each repetition gets the first response")
	void reactiveInstance(TestDatabase database) {
		assertThat(paymentsMadeTwice("/payments", database, reactive(database))).isZero();
	}

	@ParameterizedTest
	@MethodSource("io.github.lockstarter.testing.TestDatabase#servers")
	@DisplayName("With locks in the payments' database, every payment is made once, even if its instance was paused beyond its lease")
	void pausedInstance(TestDatabase database) {
		assertThat(paymentsMadeTwiceDuringPauses(database, servlet(database))).isZero();
	}

	@ParameterizedTest
	@MethodSource("io.github.lockstarter.testing.TestDatabase#servers")
	@DisplayName("With locks in the payments' database, every payment of a reactive instance is made once, even if the instance was paused beyond its lease")
	void pausedReactiveInstance(TestDatabase database) {
		assertThat(paymentsMadeTwiceDuringPauses(database, reactive(database))).isZero();
	}

	@ParameterizedTest
	@EnumSource(names = "POSTGRESQL")
	@DisplayName("With locks in Redis, a payment whose instance was killed right after the commit is made twice")
	void redisBesideIt(TestDatabase database) {
		assertThat(paymentsMadeTwice("/payments", database,
				instances(PaymentApplication.class, database, TestRedis.properties())))
			.isGreaterThanOrEqualTo((PAYMENTS + 1) / 2);
	}

	private static Instances servlet(TestDatabase database) {
		return instances(PaymentApplication.class, database, IN_DATABASE);
	}

	private static Instances reactive(TestDatabase database) {
		return instances(ReactivePaymentApplication.class, database,
				Stream
					.concat(Stream.of(IN_DATABASE),
							Stream.of("payments.url=" + database.reactiveUrl(), "lock.jdbc.url=" + database.url()))
					.toArray(String[]::new));
	}

	private static Instances instances(Class<?> main, TestDatabase database, String... properties) {
		List<String> all = Stream
			.concat(Stream.of(properties), Stream.of("spring.datasource.url=" + database.url(), "server.port=0"))
			.toList();
		return instances.computeIfAbsent(List.of(main, all), (key) -> new Instances(main, all.toArray()));
	}

	private int paymentsMadeTwiceDuringPauses(TestDatabase database, Instances instances) {
		JdbcClient jdbc = payments(database);
		instances.startTwo();
		TestJvm paused = instances.first();
		TestJvm other = instances.second();
		// The instance creates the tables at startup, for which MariaDB waits until no
		// transaction uses them.
		other.await("listening at ");
		for (int i = 0; i < PAYMENTS; i++) {
			String id = UUID.randomUUID().toString();
			CompletableFuture<@Nullable String> first = pay(paused, "/payments", id, false);
			paused.await("begun " + id);
			waitABit();
			paused.freeze();
			// If the instance is paused during its transaction, no request gets a
			// response
			// before it resumes.
			long end = System.nanoTime() + TTL.plusSeconds(1).toNanos();
			Awaitility.await()
				.until(() -> pay(other, "/payments", id, false).completeOnTimeout(null, 1, TimeUnit.SECONDS)
					.join() != null || System.nanoTime() - end > 0);
			paused.thaw();
			String receipt = response(other, "/payments", id);
			assertThat(first.join()).isIn(null, receipt);
			assertThat(made(jdbc, id, receipt)).isOne();
		}
		return madeTwice(jdbc);
	}

	private int paymentsMadeTwice(String path, TestDatabase database, Instances instances) {
		JdbcClient jdbc = payments(database);
		for (int i = 0; i < PAYMENTS; i++) {
			instances.startTwo();
			TestJvm instance = instances.first();
			String id = UUID.randomUUID().toString();
			CompletableFuture<@Nullable String> first = pay(instance, path, id, i % 2 == 0);
			if (i % 2 == 0) {
				instance.awaitEnd();
			}
			else {
				instance.await("begun " + id);
				waitABit();
			}
			instances.killFirst();
			String receipt = response(instances.first(), path, id);
			assertThat(first.join()).isIn(null, receipt);
			assertThat(made(jdbc, id, receipt)).isOne();
		}
		return madeTwice(jdbc);
	}

	private static JdbcClient payments(TestDatabase database) {
		JdbcClient jdbc = JdbcClient.create(new DriverManagerDataSource(database.url()));
		jdbc.sql("DROP TABLE IF EXISTS payments").update();
		jdbc.sql("CREATE TABLE payments (id VARCHAR(50), receipt VARCHAR(50))").update();
		return jdbc;
	}

	/** Random, so that the kill can hit any part of the payment. */
	private void waitABit() {
		Awaitility.await()
			.pollDelay(Duration.ofMillis(this.random.nextInt(LONGEST_PAYMENT_MILLIS) + 1))
			.until(() -> true);
	}

	private static int madeTwice(JdbcClient jdbc) {
		return jdbc.sql("SELECT count(*) - count(DISTINCT id) FROM payments").query(Integer.class).single();
	}

	private static int made(JdbcClient jdbc, String id, String receipt) {
		return jdbc.sql("SELECT count(*) FROM payments WHERE id = ? AND receipt = ?")
			.params(id, receipt)
			.query(Integer.class)
			.single();
	}

	private String response(TestJvm instance, String path, String id) {
		return Objects.requireNonNull(Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> pay(instance, path, id, false).join(), (response) -> response != null));
	}

	/** Returns the receipt, or nothing if there was no response, or another one. */
	private CompletableFuture<@Nullable String> pay(TestJvm instance, String path, String id, boolean killed) {
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("http://127.0.0.1:" + instance.await("listening at ") + path))
			.timeout(Duration.ofMinutes(1))
			.header("Idempotency-Key", id)
			.header("Killed-After-Commit", Boolean.toString(killed))
			.POST(HttpRequest.BodyPublishers.noBody())
			.build();
		return this.client.sendAsync(request, HttpResponse.BodyHandlers.ofString())
			.handle((response, failure) -> (failure == null && response.statusCode() == 200) ? response.body() : null);
	}

	/** Instances that tests share until they are killed. */
	private static final class Instances implements AutoCloseable {

		private final Deque<TestJvm> running = new ArrayDeque<>();

		private final Class<?> main;

		private final Object[] properties;

		Instances(Class<?> main, Object[] properties) {
			this.main = main;
			this.properties = properties;
		}

		/** Starts instances until there are two. */
		void startTwo() {
			while (this.running.size() < 2) {
				this.running.addLast(TestJvm.start(this.main, this.properties));
			}
		}

		TestJvm first() {
			return this.running.getFirst();
		}

		TestJvm second() {
			return this.running.getLast();
		}

		void killFirst() {
			this.running.removeFirst().kill();
		}

		@Override
		public void close() {
			this.running.forEach(TestJvm::close);
		}

	}

	/** The application, with what it needs only, because it is started often. */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ TomcatServletWebServerAutoConfiguration.class, DispatcherServletAutoConfiguration.class,
			WebMvcAutoConfiguration.class, HttpMessageConvertersAutoConfiguration.class, JacksonAutoConfiguration.class,
			DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
			TransactionAutoConfiguration.class, JdbcTemplateAutoConfiguration.class, JdbcClientAutoConfiguration.class,
			LockAutoConfiguration.class })
	@Import({ Payments.class, WorkingPayments.class })
	static class PaymentApplication {

		private static volatile boolean killed;

		public static void main(String... properties) {
			run(PaymentApplication.class, "servlet", properties);
		}

		static void run(Class<?> application, String type, String... properties) {
			var context = new SpringApplicationBuilder(application)
				.properties("server.address=127.0.0.1", "spring.main.web-application-type=" + type,
						"lock.names.payments.ttl=" + TTL.toMillis() + "ms", "logging.level.root=error")
				.properties(properties)
				.run();
			context.getBean(ConfigurableTransactionManager.class).addListener(new TransactionExecutionListener() {

				@Override
				public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
					if (killed) {
						Runtime.getRuntime().halt(1);
					}
				}

			});
			System.out.println("listening at " + context.getEnvironment().getProperty("local.server.port"));
		}

	}

	@RestController
	static class Payments {

		private final JdbcClient jdbc;

		Payments(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		@PostMapping("/payments")
		@ExclusiveRequest(name = "payments", key = "header('Idempotency-Key')", replay = "1h")
		@Transactional
		public String pay(@RequestHeader("Idempotency-Key") String id, HttpServletRequest request) {
			PaymentApplication.killed = Boolean.parseBoolean(request.getHeader("Killed-After-Commit"));
			System.out.println("begun " + id);
			String receipt = UUID.randomUUID().toString();
			this.jdbc.sql("INSERT INTO payments VALUES (?, ?)").params(id, receipt).update();
			return receipt;
		}

	}

	/** Makes its payments as idempotent work. */
	@RestController
	static class WorkingPayments {

		private final JdbcClient jdbc;

		private final IdempotencyRegistry idempotency;

		private final TransactionOperations transactions;

		WorkingPayments(JdbcClient jdbc, IdempotencyRegistry idempotency, TransactionOperations transactions) {
			this.jdbc = jdbc;
			this.idempotency = idempotency;
			this.transactions = transactions;
		}

		@PostMapping("/work")
		public String pay(@RequestHeader("Idempotency-Key") String id,
				@RequestHeader("Killed-After-Commit") boolean killed) {
			return this.idempotency.work(new LockKey("payments", id), String.class).in(this.transactions).call(() -> {
				PaymentApplication.killed = killed;
				System.out.println("begun " + id);
				String receipt = UUID.randomUUID().toString();
				this.jdbc.sql("INSERT INTO payments VALUES (?, ?)").params(id, receipt).update();
				return receipt;
			});
		}

	}

	/** The same application with WebFlux and R2DBC. */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ NettyReactiveWebServerAutoConfiguration.class, HttpHandlerAutoConfiguration.class,
			WebFluxAutoConfiguration.class, CodecsAutoConfiguration.class, JacksonAutoConfiguration.class,
			TransactionAutoConfiguration.class, LockAutoConfiguration.class })
	@Import(ReactivePayments.class)
	static class ReactivePaymentApplication {

		public static void main(String... properties) {
			PaymentApplication.run(ReactivePaymentApplication.class, "reactive", properties);
		}

		@Bean
		ConnectionFactory connections(Environment environment) {
			return ConnectionFactories.get(environment.getRequiredProperty("payments.url"));
		}

		@Bean
		R2dbcTransactionManager transactions(ConnectionFactory connections) {
			return new R2dbcTransactionManager(connections);
		}

	}

	@RestController
	static class ReactivePayments {

		private final DatabaseClient database;

		ReactivePayments(ConnectionFactory connections) {
			this.database = DatabaseClient.create(connections);
		}

		@PostMapping("/payments")
		@ExclusiveRequest(name = "payments", key = "header('Idempotency-Key')", replay = "1h")
		@Transactional
		public Mono<String> pay(@RequestHeader("Idempotency-Key") String id,
				@RequestHeader("Killed-After-Commit") boolean killed) {
			PaymentApplication.killed = killed;
			System.out.println("begun " + id);
			String receipt = UUID.randomUUID().toString();
			return this.database.sql("INSERT INTO payments VALUES (:id, :receipt)")
				.bind("id", id)
				.bind("receipt", receipt)
				.then()
				.thenReturn(receipt);
		}

	}

}
