package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.UUID;

import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reactive transactions with a lock, started in each supported way.
 */
class ReactiveTransactionsTests {

	@ParameterizedClass
	@ValueSource(strings = { "servlet", "reactive" })
	@TestInstance(TestInstance.Lifecycle.PER_CLASS)
	static class OfHandlers {

		@Parameter
		String type;

		private TestServer server;

		private Orders orders;

		@BeforeParameterizedClassInvocation
		void start() {
			this.server = TestServer.start(new Class<?>[] { TestServer.CompleteApplication.class, Database.class,
					Orders.class, Service.class, Handlers.class }, "lock.store=memory",
					"spring.main.web-application-type=" + this.type);
			this.orders = this.server.context().getBean(Orders.class);
		}

		@AfterParameterizedClassInvocation
		void stop() {
			this.server.close();
		}

		@BeforeEach
		void empty() {
			this.orders.deleteAll().block();
			this.orders.runs.set(0);
			this.orders.end = End.COMMIT;
		}

		@ParameterizedTest
		@ValueSource(strings = { "/annotated", "/service", "/later", "/operator", "/own-operator", "/flux", "/entity",
				"/inner-lock" })
		@DisplayName("A transaction whose lease was lost before the commit is rolled back, and the caller gets the loss")
		void rollsBack(String path) throws Exception {
			this.orders.end = End.LOSE;
			HttpResponse<String> response = this.server.post(path + "?id=1");
			assertThat(this.orders.count()).isZero();
			assertThat(response.statusCode()).isEqualTo(409);
			assertThat(response.body()).contains("/lease-lost");
		}

		@ParameterizedTest
		@ValueSource(strings = { "/annotated", "/service", "/later", "/operator", "/own-operator", "/flux", "/entity",
				"/inner-lock" })
		@DisplayName("A transaction whose lease is held commits")
		void commits(String path) throws Exception {
			assertThat(this.server.post(path + "?id=1").statusCode()).isEqualTo(200);
			assertThat(this.orders.count()).isOne();
		}

		@Test
		@DisplayName("A lost lease does not affect the transaction of a method without a lock")
		void unguarded() throws Exception {
			this.orders.end = End.LOSE;
			assertThat(this.server.post("/annotated?id=1").statusCode()).isEqualTo(409);
			assertThat(this.server.post("/unguarded?id=1").statusCode()).isEqualTo(200);
			assertThat(this.orders.count()).isOne();
		}

		@ParameterizedTest
		@ValueSource(strings = { "/annotated", "/service", "/operator" })
		@DisplayName("When the first run fails after its write, the retry runs, and a duplicate of the retry gets the stored response")
		void failedFirst(String path) throws Exception {
			this.orders.end = End.FAIL;
			assertThat(this.server.post("/replayed" + path + "?id=failed").statusCode()).isEqualTo(500);
			assertThat(this.orders.count()).isZero();
			runsOnceAndReplays(path, "failed");
		}

		@Test
		@DisplayName("When the first run is rolled back without an error, the retry runs, and a duplicate of the retry gets the stored response")
		void rolledBackFirst() throws Exception {
			this.orders.end = End.UNDO;
			assertThat(this.server.post("/replayed/operator?id=undone").statusCode()).isEqualTo(200);
			assertThat(this.orders.count()).isZero();
			runsOnceAndReplays("/operator", "undone");
		}

		private void runsOnceAndReplays(String path, String id) throws Exception {
			this.orders.end = End.COMMIT;
			HttpResponse<String> retry = this.server.post("/replayed" + path + "?id=" + id);
			assertThat(retry.body()).isEqualTo("run 2");
			assertThat(retry.headers().firstValue("Idempotent-Replayed")).isEmpty();
			HttpResponse<String> duplicate = this.server.post("/replayed" + path + "?id=" + id);
			assertThat(duplicate.body()).isEqualTo("run 2");
			assertThat(duplicate.headers().firstValue("Idempotent-Replayed")).hasValue("true");
			assertThat(this.orders.count()).isOne();
		}

		@Test
		@DisplayName("A result is not stored while its transaction is open and may be rolled back")
		void withinAnother() {
			Handlers handlers = this.server.context().getBean(Handlers.class);
			TransactionalOperator outer = this.server.context().getBean(TransactionalOperator.class);
			String first = outer.execute((transaction) -> {
				transaction.setRollbackOnly();
				return handlers.replayedService("outer");
			}).blockLast();
			assertThat(first).isEqualTo("run 1");
			assertThat(this.orders.count()).isZero();
			assertThat(handlers.replayedService("outer").block()).isEqualTo("run 2");
			assertThat(handlers.replayedService("outer").block()).isEqualTo("run 2");
			assertThat(this.orders.count()).isOne();
		}

	}

	@ExtendWith(OutputCaptureExtension.class)
	static class OfManagers {

		private final ApplicationContextRunner runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, TransactionAutoConfiguration.class,
					LockAutoConfiguration.class))
			.withPropertyValues("lock.store=memory");

		@Test
		@DisplayName("The application's transaction manager bean keeps its type, settings and listeners")
		void staysWhatItWas() {
			this.runner.withUserConfiguration(Database.class).run((context) -> {
				R2dbcTransactionManager transactions = context.getBean(R2dbcTransactionManager.class);
				assertThat(transactions.getConnectionFactory()).isSameAs(context.getBean(ConnectionFactory.class));
				assertThat(transactions.isEnforceReadOnly()).isTrue();
				assertThat(transactions.getTransactionExecutionListeners()).contains(context.getBean(Listener.class));
			});
		}

		@Test
		@DisplayName("A reactive transaction manager that does not check leases is reported at startup if a lock covers reactive work")
		void unguarded(CapturedOutput output) {
			this.runner.withUserConfiguration(Database.class)
				.withBean("others", ReactiveTransactionManager.class, OtherTransactions::new)
				.withBean(Locked.class)
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(output).containsOnlyOnce("does not check locks")
				.contains("The reactive transaction manager 'others'");
		}

		@Test
		@DisplayName("The start says that responses are stored after reactive transactions if the store cannot join these")
		void storedAfterCommit(CapturedOutput output) {
			this.runner.withUserConfiguration(Database.class)
				.withBean(Locked.class)
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(output).doesNotContain("stored after the commit of their transactions");
			this.runner.withUserConfiguration(Database.class)
				.withBean(Replayed.class)
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(output).containsOnlyOnce("stored after the commit of their transactions");
		}

		@Test
		@DisplayName("Whether the store can join them is asked of the store of the lock that replays")
		void storeOfTheLock(CapturedOutput output) {
			ApplicationContextRunner replayed = this.runner.withUserConfiguration(Database.class)
				.withBean(Replayed.class)
				.withPropertyValues("lock.jdbc.url=jdbc:h2:mem:" + UUID.randomUUID());
			replayed.withPropertyValues("lock.names.replayed.store=jdbc")
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(output).doesNotContain("stored after the commit of their transactions");
			replayed.withPropertyValues("lock.store=jdbc", "lock.names.replayed.store=memory")
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(output).containsOnlyOnce("stored after the commit of their transactions");
		}

		@Test
		@DisplayName("The start does not create a store that a replaced registry does not use")
		void replacedRegistry() {
			this.runner.withUserConfiguration(Database.class)
				.withBean(Replayed.class)
				.withBean(LockRegistryConfiguration.REGISTRY, LockRegistry.class,
						() -> Mockito.mock(LockRegistry.class))
				.withBean("store", LockStore.class, () -> {
					throw new IllegalStateException("created");
				}, (definition) -> definition.setLazyInit(true))
				.run((context) -> assertThat(context).hasNotFailed());
		}

		@Test
		@DisplayName("A reactive transaction manager that does not check leases is not reported if no lock covers reactive work")
		void noReactiveWork(CapturedOutput output) {
			this.runner.withBean("others", ReactiveTransactionManager.class, OtherTransactions::new)
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(output).doesNotContain("does not check locks");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Database {

		@Bean
		ConnectionFactory connections() {
			return ConnectionFactories.get("r2dbc:h2:mem:///" + System.nanoTime() + "?options=DB_CLOSE_DELAY=-1");
		}

		@Bean
		Listener listener() {
			return new Listener();
		}

		@Bean
		R2dbcTransactionManager transactions(ConnectionFactory connections, Listener listener) {
			R2dbcTransactionManager transactions = new R2dbcTransactionManager(connections);
			transactions.setEnforceReadOnly(true);
			transactions.addListener(listener);
			return transactions;
		}

		@Bean
		DatabaseClient database(ConnectionFactory connections) {
			return DatabaseClient.create(connections);
		}

	}

	static class Listener implements TransactionExecutionListener {

		@Override
		public void beforeCommit(TransactionExecution transaction) {
		}

	}

	enum End {

		COMMIT, LOSE, FAIL, UNDO

	}

	/** The table of the test. */
	static class Orders {

		private final DatabaseClient database;

		private final LockInspector locks;

		private final AtomicInteger runs = new AtomicInteger();

		private volatile End end = End.COMMIT;

		Orders(DatabaseClient database, LockInspector locks) {
			this.database = database;
			this.locks = locks;
			this.database.sql("create table orders (id varchar(20))").then().block();
		}

		Mono<String> insert(String id) {
			return this.database.sql("insert into orders values (:id)").bind("id", id).then().thenReturn(id);
		}

		/**
		 * Inserts a row, loses the lease if the test requests it, and continues on
		 * another thread.
		 */
		Mono<String> insert(String id, Lease lease) {
			return insert(id)
				.delayUntil((inserted) -> (this.end == End.LOSE)
						? Mono.fromCompletionStage(this.locks.forceRelease(lease.key(), lease.fencingToken()))
						: Mono.empty())
				.publishOn(Schedulers.boundedElastic());
		}

		Mono<String> insertAndEnd(String id) {
			return insert(id)
				.flatMap((inserted) -> (this.end == End.FAIL) ? Mono.error(new IllegalStateException())
						: Mono.fromSupplier(() -> "run " + this.runs.get()))
				.doOnSubscribe((subscription) -> this.runs.incrementAndGet());
		}

		Mono<Long> deleteAll() {
			return this.database.sql("delete from orders").fetch().rowsUpdated();
		}

		long count() {
			return this.database.sql("select count(*) from orders").mapValue(Long.class).one().block();
		}

	}

	/** A second bean, with transactional methods. */
	static class Service {

		private final Orders orders;

		Service(Orders orders) {
			this.orders = orders;
		}

		@Transactional
		public Mono<String> insert(String id, Lease lease) {
			return this.orders.insert(id, lease);
		}

		@ExclusiveRequest(name = "inner", key = "#id")
		@Transactional
		public Mono<String> insertUnderInnerLock(String id, Lease lease) {
			return this.orders.insert(id, lease);
		}

		@Transactional
		public Mono<String> insertAndEnd(String id) {
			return this.orders.insertAndEnd(id);
		}

	}

	@RestController
	static class Handlers {

		private final Orders orders;

		private final Service service;

		private final TransactionalOperator operator;

		private final TransactionalOperator ownOperator;

		Handlers(Orders orders, Service service, TransactionalOperator operator, ReactiveTransactionManager manager) {
			this.orders = orders;
			this.service = service;
			this.operator = operator;
			this.ownOperator = TransactionalOperator.create(manager);
		}

		@PostMapping("/annotated")
		@ExclusiveRequest(name = "order", key = "#id")
		@Transactional
		public Mono<String> annotated(@RequestParam String id, Lease lease) {
			return this.orders.insert(id, lease);
		}

		@PostMapping("/service")
		@ExclusiveRequest(name = "order", key = "#id")
		public Mono<String> service(@RequestParam String id, Lease lease) {
			return this.service.insert(id, lease);
		}

		@PostMapping("/later")
		@ExclusiveRequest(name = "order", key = "#id")
		public Mono<String> later(@RequestParam String id, Lease lease) {
			return later().then(Mono.defer(() -> this.service.insert(id, lease)));
		}

		/** Continues on another thread. */
		private static Mono<Long> later() {
			return Mono.delay(Duration.ofMillis(1), Schedulers.boundedElastic());
		}

		@PostMapping("/operator")
		@ExclusiveRequest(name = "order", key = "#id")
		public Mono<String> operator(@RequestParam String id, Lease lease) {
			return this.operator.transactional(this.orders.insert(id, lease));
		}

		@PostMapping("/own-operator")
		@ExclusiveRequest(name = "order", key = "#id")
		public Mono<String> ownOperator(@RequestParam String id, Lease lease) {
			return later().then(this.ownOperator.transactional(this.orders.insert(id, lease)));
		}

		@PostMapping("/flux")
		@ExclusiveRequest(name = "order", key = "#id")
		@Transactional
		public Flux<String> flux(@RequestParam String id, Lease lease) {
			return this.orders.insert(id, lease).thenMany(Flux.empty());
		}

		@PostMapping("/entity")
		@ExclusiveRequest(name = "order", key = "#id")
		public ResponseEntity<Mono<String>> entity(@RequestParam String id, Lease lease) {
			return ResponseEntity.ok(this.service.insert(id, lease));
		}

		@PostMapping("/inner-lock")
		@ExclusiveRequest(name = "order", key = "#id")
		public Mono<String> innerLock(@RequestParam String id, Lease lease) {
			return this.service.insertUnderInnerLock(id, lease);
		}

		@PostMapping("/unguarded")
		@Transactional
		public Mono<String> unguarded(@RequestParam String id) {
			return this.orders.insert(id);
		}

		@PostMapping("/replayed/annotated")
		@ExclusiveRequest(name = "replayed-annotated", key = "#id", replay = "1h")
		@Transactional
		public Mono<String> replayedAnnotated(@RequestParam String id) {
			return this.orders.insertAndEnd(id);
		}

		@PostMapping("/replayed/service")
		@ExclusiveRequest(name = "replayed-service", key = "#id", replay = "1h")
		public Mono<String> replayedService(@RequestParam String id) {
			return this.service.insertAndEnd(id);
		}

		@PostMapping("/replayed/operator")
		@ExclusiveRequest(name = "replayed-operator", key = "#id", replay = "1h")
		public Mono<String> replayedOperator(@RequestParam String id) {
			return this.operator.execute((transaction) -> {
				if (this.orders.end == End.UNDO) {
					transaction.setRollbackOnly();
				}
				return this.orders.insertAndEnd(id);
			}).single();
		}

	}

	/** A method whose lock covers reactive work. */
	static class Locked {

		@ExclusiveRequest(name = "locked")
		public Mono<String> call() {
			return Mono.just("done");
		}

	}

	static class Replayed {

		@ExclusiveRequest(name = "replayed", key = "#id", replay = "1h")
		public Mono<String> call(String id) {
			return Mono.just("done");
		}

	}

	/** A transaction manager without a database. */
	static class OtherTransactions extends AbstractReactiveTransactionManager {

		@Override
		protected Object doGetTransaction(TransactionSynchronizationManager synchronization) {
			return new Object();
		}

		@Override
		protected Mono<Void> doBegin(TransactionSynchronizationManager synchronization, Object transaction,
				TransactionDefinition definition) {
			return Mono.empty();
		}

		@Override
		protected Mono<Void> doCommit(TransactionSynchronizationManager synchronization,
				GenericReactiveTransaction transaction) {
			return Mono.empty();
		}

		@Override
		protected Mono<Void> doRollback(TransactionSynchronizationManager synchronization,
				GenericReactiveTransaction transaction) {
			return Mono.empty();
		}

	}

}
