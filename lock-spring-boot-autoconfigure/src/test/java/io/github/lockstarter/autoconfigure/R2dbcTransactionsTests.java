package io.github.lockstarter.autoconfigure;

import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.IdempotencyRegistry;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.TestDatabase;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Reactive transactions on the database that contains the locks.
 */
@Tag("database")
@ParameterizedClass
@MethodSource("io.github.lockstarter.testing.TestDatabase#all")
@ExtendWith(OutputCaptureExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class R2dbcTransactionsTests {

	@Parameter
	TestDatabase database;

	private TestServer server;

	private JdbcClient jdbc;

	private Handlers handlers;

	private Commits commits;

	@BeforeParameterizedClassInvocation
	void start() {
		this.jdbc = JdbcClient.create(new DriverManagerDataSource(this.database.url("reactive")));
		this.jdbc.sql("drop table if exists receipts").update();
		this.jdbc.sql("create table receipts (id varchar(50))").update();
		this.server = server(this.database.url("reactive"), this.database.reactiveUrl("reactive"));
		this.handlers = this.server.context().getBean(Handlers.class);
		this.commits = this.server.context().getBean(Commits.class);
	}

	/** Starts an application whose locks and data are in the same database. */
	static TestServer server(String url, String reactive) {
		return server(url, reactive, Handlers.class);
	}

	static TestServer server(String url, String reactive, Class<?> handlers) {
		return TestServer.start(
				new Class<?>[] { TestServer.CompleteApplication.class, Database.class, handlers, Ledger.class,
						Commits.class },
				"lock.store=jdbc", "lock.jdbc.url=" + url, "lock.jdbc.initialize-schema=always",
				"lock.jdbc.table=reactive_locks", "lock.jdbc.command-timeout=30s",
				"spring.main.web-application-type=reactive", "test.reactive=" + reactive);
	}

	@AfterParameterizedClassInvocation
	void stop() {
		this.server.close();
	}

	@BeforeEach
	void empty() {
		this.jdbc.sql("delete from receipts").update();
		this.jdbc.sql("delete from reactive_locks_results").update();
		this.commits.before = Mono.empty();
		this.commits.after = () -> {
		};
	}

	private int receipts() {
		return this.jdbc.sql("select count(*) from receipts").query(Integer.class).single();
	}

	/** Returns the contents of the stored results. */
	private List<String> results() {
		return this.jdbc.sql("select content from reactive_locks_results")
			.query((row, number) -> new String(row.getBytes(1), StandardCharsets.UTF_8))
			.list();
	}

	/** Grants the locks to another owner, as if their leases had expired. */
	private void grantToOther() {
		this.jdbc.sql("update reactive_locks set owner = 'other', token = token + 1").update();
	}

	@Test
	@DisplayName("The response is committed with the changes, before it is sent, and is replayed")
	void commitsTheResponse() throws Exception {
		List<String> committed = new ArrayList<>();
		this.commits.after = () -> committed.addAll(results());
		HttpResponse<String> first = this.server.post("/pay?id=a");
		assertThat(first.statusCode()).isEqualTo(201);
		assertThat(committed).hasSize(1).first().asString().contains("201", "/receipts/a");
		HttpResponse<String> second = this.server.post("/pay?id=a");
		assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true");
		assertThat(second.statusCode()).isEqualTo(201);
		assertThat(second.headers().firstValue("Location")).hasValue("/receipts/a");
		assertThat(second.body()).isEqualTo(first.body());
		assertThat(receipts()).isOne();
	}

	@Test
	@DisplayName("The value of a method outside of requests is committed with the changes, and is replayed")
	void commitsTheValue() {
		List<String> committed = new ArrayList<>();
		this.commits.after = () -> committed.addAll(results());
		String first = this.handlers.call("value").block();
		assertThat(committed).hasSize(1).first().asString().contains(first);
		assertThat(this.handlers.call("value").block()).isEqualTo(first);
		assertThat(receipts()).isOne();
	}

	@Test
	@DisplayName("All values of a Flux are committed with the changes, and are replayed")
	void commitsManyValues() {
		List<String> committed = new ArrayList<>();
		this.commits.after = () -> committed.addAll(results());
		List<String> first = this.handlers.many("many").collectList().block();
		assertThat(first).hasSize(2);
		assertThat(committed).hasSize(1).first().asString().contains(first);
		assertThat(this.handlers.many("many").collectList().block()).isEqualTo(first);
		assertThat(receipts()).isOne();
	}

	@Test
	@DisplayName("Until the streamed response of a handler is known, a duplicate is rejected; then it is replayed")
	void streams() throws Exception {
		List<String> committed = new ArrayList<>();
		this.commits.after = () -> committed.addAll(results());
		HttpResponse<String> first = this.server.post("/stream?id=s");
		assertThat(committed).hasSize(1).first().asString().doesNotContain("/receipts");
		HttpResponse<String> second = this.server.post("/stream?id=s");
		assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true");
		assertThat(second.body()).isEqualTo(first.body());
		assertThat(receipts()).isOne();
	}

	@Test
	@DisplayName("A transaction that is rolled back after its value stores no response, and the retry runs")
	void rollsBack() throws Exception {
		this.commits.before = Mono.error(new IllegalStateException("before the commit"));
		assertThat(this.server.post("/pay?id=b").statusCode()).isEqualTo(500);
		assertThat(results()).isEmpty();
		assertThat(receipts()).isZero();
		this.commits.before = Mono.empty();
		assertThat(this.server.post("/pay?id=b").headers().firstValue("Idempotent-Replayed")).isEmpty();
		assertThat(receipts()).isOne();
	}

	@Test
	@DisplayName("A transaction whose lease the database has granted to another owner cannot commit, although isHeld is still true")
	void lost() throws Exception {
		this.commits.before = Mono.fromRunnable(this::grantToOther);
		HttpResponse<String> lost = this.server.post("/pay?id=d");
		assertThat(lost.statusCode()).isEqualTo(409);
		assertThat(lost.body()).contains("/lease-lost");
		assertThat(receipts()).isZero();
		assertThat(results()).isEmpty();
	}

	@Test
	@DisplayName("With snapshot isolation, a transaction commits although its lease was renewed after the snapshot")
	void snapshot() {
		this.commits.before = Mono
			.fromRunnable(() -> this.jdbc.sql("update reactive_locks set expires_at = expires_at + 1").update());
		this.handlers.callInSnapshot("snapshot").block();
		assertThat(receipts()).isOne();
		assertThat(results()).hasSize(1);
	}

	@Test
	@DisplayName("If the caller cancels between the values and the commit, nothing is committed, and the retry runs")
	void cancelled() throws Exception {
		CountDownLatch emitted = new CountDownLatch(2);
		this.commits.afterValues = Mono.never();
		Disposable call = this.handlers.many("e").subscribe((value) -> emitted.countDown());
		emitted.await();
		call.dispose();
		this.commits.afterValues = Mono.empty();
		List<String> next = this.handlers.many("e").collectList().block();
		assertThat(this.handlers.many("e").collectList().block()).isEqualTo(next);
		assertThat(receipts()).isOne();
	}

	@Test
	@DisplayName("A new transaction inside of a method does not store its response, and the outer one that is rolled back neither")
	void newInside() throws Exception {
		List<String> committed = new ArrayList<>();
		this.commits.after = () -> committed.addAll(results());
		this.commits.before = Mono.error(new IllegalStateException("before the commit"));
		assertThat(this.server.post("/with-audit?id=f").statusCode()).isEqualTo(500);
		assertThat(receipts()).isOne();
		assertThat(committed).isEmpty();
		assertThat(results()).isEmpty();
	}

	@Test
	@DisplayName("A read-only transaction stores its response at the release")
	void readOnly() throws Exception {
		List<String> committed = new ArrayList<>();
		this.commits.after = () -> committed.addAll(results());
		String first = this.server.post("/read?id=g").body();
		assertThat(committed).isEmpty();
		assertThat(this.server.post("/read?id=g").body()).isEqualTo(first);
	}

	@Test
	@DisplayName("A result is not stored in a transaction that was open before the lock was acquired")
	void withinAnother() {
		TransactionalOperator outer = TransactionalOperator
			.create(this.server.context().getBean(ReactiveTransactionManager.class));
		this.handlers.call("outer").as(outer::transactional).block();
		assertThat(receipts()).isOne();
		assertThat(results()).isEmpty();
	}

	@Test
	@DisplayName("A new transaction of the method stores its result, although another one around the call is open and is rolled back")
	void newWithinAnother() {
		TransactionalOperator outer = TransactionalOperator
			.create(this.server.context().getBean(ReactiveTransactionManager.class));
		Mono<String> call = this.handlers.callInNew("new");
		assertThatIllegalStateException()
			.isThrownBy(call.then(Mono.error(new IllegalStateException("outer"))).as(outer::transactional)::block);
		assertThat(receipts()).isOne();
		assertThat(results()).hasSize(1);
		assertThat(call.block()).isEqualTo(call.block());
		assertThat(receipts()).isOne();
	}

	@Test
	@DisplayName("If the caller cancels during the commit, the committed result is given to the repetition")
	void cancelledDuringCommit() throws Exception {
		CountDownLatch committing = new CountDownLatch(1);
		CountDownLatch cancelled = new CountDownLatch(1);
		this.commits.after = () -> {
			committing.countDown();
			await(cancelled);
		};
		Disposable call = this.handlers.callOrWait("cancelled").subscribeOn(Schedulers.boundedElastic()).subscribe();
		committing.await();
		call.dispose();
		cancelled.countDown();
		String next = this.handlers.callOrWait("cancelled").block();
		assertThat(receipts()).isOne();
		assertThat(results()).hasSize(1).first().asString().contains(next);
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	@DisplayName("A transaction that the method begins itself is named in one warning, and its response is stored at the release")
	void operator(CapturedOutput output) throws Exception {
		for (String id : List.of("h", "i")) {
			String first = this.server.post("/operator?id=" + id).body();
			assertThat(this.server.post("/operator?id=" + id).body()).isEqualTo(first);
		}
		assertThat(receipts()).isEqualTo(2);
		assertThat(output).containsOnlyOnce("was not begun by advice around it")
			.contains("R2dbcTransactionsTests$Handlers.operator");
	}

	@Test
	@DisplayName("With a transaction on another database, the response is stored at the release, and one warning names the lock")
	void otherDatabase(CapturedOutput output) throws Exception {
		for (String id : List.of("j", "k")) {
			String first = this.server.post("/elsewhere?id=" + id).body();
			assertThat(first).startsWith("receipt");
			assertThat(this.server.post("/elsewhere?id=" + id).body()).isEqualTo(first);
		}
		assertThat(output).containsOnlyOnce("under lock 'elsewhere' is not on the database of the locks");
	}

	@Test
	@DisplayName("The result of work in code is committed with the changes of the work, and is given to repetitions")
	void inCode() {
		List<String> committed = new ArrayList<>();
		this.commits.after = () -> committed.addAll(results());
		Mono<String> work = inCode("code");
		String first = work.block();
		assertThat(committed).hasSize(1).first().asString().contains(first);
		assertThat(work.block()).isEqualTo(first);
		assertThat(receipts()).isOne();
	}

	@Test
	@DisplayName("Work in code that is rolled back keeps no result, and a repetition runs")
	void inCodeRollsBack() {
		this.commits.before = Mono.error(new IllegalStateException("before the commit"));
		Mono<String> work = inCode("undone");
		assertThatIllegalStateException().isThrownBy(work::block).withMessage("before the commit");
		assertThat(results()).isEmpty();
		this.commits.before = Mono.empty();
		assertThat(work.block()).isEqualTo(work.block());
		assertThat(receipts()).isOne();
	}

	@Test
	@DisplayName("Work in code whose lock the database has granted to another owner is not committed")
	void inCodeLost() {
		this.commits.before = Mono.fromRunnable(this::grantToOther);
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(inCode("lost")::block);
		assertThat(receipts()).isZero();
		assertThat(results()).isEmpty();
	}

	private Mono<String> inCode(String id) {
		TransactionalOperator transactions = TransactionalOperator
			.create(this.server.context().getBean(ReactiveTransactionManager.class));
		return this.server.context()
			.getBean(IdempotencyRegistry.class)
			.work("code:" + id, String.class)
			.reactive()
			.in(transactions)
			.call(() -> this.handlers.insert(id));
	}

	@Configuration(proxyBeanMethods = false)
	static class Database {

		@Bean
		@Primary
		ConnectionFactory connections(Environment environment) {
			return ConnectionFactories.get(environment.getRequiredProperty("test.reactive"));
		}

		@Bean
		ConnectionFactory otherConnections() {
			return ConnectionFactories.get("r2dbc:h2:mem:///" + UUID.randomUUID() + "?options=DB_CLOSE_DELAY=-1");
		}

		@Bean
		@Primary
		R2dbcTransactionManager transactions(ConnectionFactory connections, Commits commits) {
			R2dbcTransactionManager transactions = new R2dbcTransactionManager(connections);
			transactions.addListener(commits);
			return transactions;
		}

		@Bean
		R2dbcTransactionManager otherTransactions(@Qualifier("otherConnections") ConnectionFactory connections) {
			return new R2dbcTransactionManager(connections);
		}

		@Bean
		DatabaseClient database(ConnectionFactory connections) {
			return DatabaseClient.create(connections);
		}

	}

	/** What happens at commits. */
	static class Commits implements TransactionExecutionListener {

		/** Completes after the values of a method, and before its end. */
		private volatile Mono<Void> afterValues = Mono.empty();

		/** Completes before the commit. */
		private volatile Mono<Void> before = Mono.empty();

		/** Runs after the commit. */
		private volatile Runnable after = () -> {
		};

		void after(Runnable action) {
			this.after = action;
		}

		@Override
		public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
			this.after.run();
		}

	}

	/** A second bean, with a transaction of its own. */
	static class Ledger {

		private final DatabaseClient database;

		Ledger(DatabaseClient database) {
			this.database = database;
		}

		Mono<Void> insert(String id) {
			return this.database.sql("insert into receipts values ('" + id + "')").then();
		}

		@Transactional(transactionManager = "transactions", propagation = Propagation.REQUIRES_NEW)
		public Mono<Void> insertInNew(String id) {
			return insert(id);
		}

	}

	@RestController
	static class Handlers {

		private final Ledger ledger;

		private final TransactionalOperator operator;

		private final AtomicInteger runs = new AtomicInteger();

		private final Commits commits;

		Handlers(Ledger ledger, ReactiveTransactionManager transactions, Commits commits) {
			this.ledger = ledger;
			this.commits = commits;
			this.operator = TransactionalOperator.create(transactions);
		}

		Mono<String> insert(String id) {
			return this.ledger.insert(id).then(beforeCommit()).then(receipt());
		}

		private Mono<String> receipt() {
			return Mono.fromSupplier(() -> "receipt %d \u20ac".formatted(this.runs.incrementAndGet()));
		}

		private Mono<Void> beforeCommit() {
			return TransactionSynchronizationManager.forCurrentTransaction()
				.doOnNext((transaction) -> transaction.registerSynchronization(new TransactionSynchronization() {

					@Override
					public Mono<Void> beforeCommit(boolean readOnly) {
						return Handlers.this.commits.before;
					}

				}))
				.then();
		}

		@PostMapping("/pay")
		@ExclusiveRequest(name = "pay", key = "#id", replay = "1h")
		@Transactional
		public Mono<ResponseEntity<Receipt>> pay(@RequestParam String id) {
			return insert(id)
				.map((text) -> ResponseEntity.created(URI.create("/receipts/" + id)).body(new Receipt(id, text)));
		}

		@PostMapping("/stream")
		@ExclusiveRequest(name = "stream", key = "#id", replay = "1h")
		@Transactional
		public Flux<Receipt> stream(@RequestParam String id) {
			return insert(id).flatMapMany((text) -> Flux.just(new Receipt(id, text), new Receipt(id, text + " again")));
		}

		@ExclusiveRequest(name = "call", key = "#id", replay = "1h")
		@Transactional
		public Mono<String> call(String id) {
			return insert(id);
		}

		@ExclusiveRequest(name = "waiting", key = "#id", replay = "1h", waitTime = "10s")
		@Transactional
		public Mono<String> callOrWait(String id) {
			return insert(id);
		}

		@ExclusiveRequest(name = "new", key = "#id", replay = "1h")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public Mono<String> callInNew(String id) {
			return insert(id);
		}

		@ExclusiveRequest(name = "snapshot", key = "#id", replay = "1h")
		@Transactional(isolation = Isolation.REPEATABLE_READ)
		public Mono<String> callInSnapshot(String id) {
			return insert(id);
		}

		@ExclusiveRequest(name = "many", key = "#id", replay = "1h", waitTime = "10s")
		@Transactional
		public Flux<String> many(String id) {
			return insert(id).flatMapMany((text) -> Flux.just(text, text + " again"))
				.concatWith(Mono.defer(() -> this.commits.afterValues.then(Mono.empty())));
		}

		@PostMapping("/with-audit")
		@ExclusiveRequest(name = "with-audit", key = "#id", replay = "1h")
		@Transactional
		public Mono<String> withAudit(@RequestParam String id) {
			return this.ledger.insertInNew("audit").then(insert(id));
		}

		@PostMapping("/read")
		@ExclusiveRequest(name = "read", key = "#id", replay = "1h")
		@Transactional(readOnly = true)
		public Mono<String> read(@RequestParam String id) {
			return receipt();
		}

		@PostMapping("/operator")
		@ExclusiveRequest(name = "operator", key = "#id", replay = "1h")
		public Mono<String> operator(@RequestParam String id) {
			return this.operator.transactional(insert(id));
		}

		@PostMapping("/elsewhere")
		@ExclusiveRequest(name = "elsewhere", key = "#id", replay = "1h")
		@Transactional(transactionManager = "otherTransactions")
		public Mono<String> elsewhere(@RequestParam String id) {
			return receipt();
		}

	}

	record Receipt(String id, String text) {
	}

}
