package io.github.lockstarter.actuate;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.ResultUnavailableException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.testing.Jobs;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A running application in which each event that the alert rules report has occurred:
 * requests waited and were rejected, a lease was lost, responses could not be stored or
 * read, and its Redis has been killed while a lease was held.
 */
final class AllAlertsApplication implements AutoCloseable {

	private static final String DAMAGE_RESULTS = "EVAL \"local keys = redis.call('KEYS', 'lock:result:*') "
			+ "for _, key in ipairs(keys) do redis.call('APPEND', key, '}') end return #keys\" 0";

	private final LocalRedis redis = LocalRedis.started();

	private final TestServer server = TestServer.start(
			new Class<?>[] { TestServer.CompleteApplication.class, Jobs.class, Orders.class, Methods.class },
			"spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + this.redis.port(),
			"lock.redis.command-timeout=5s", "management.endpoints.web.exposure.include=prometheus",
			"lock.max-waiters=1", "lock.share.max-size=1KB", "lock.names.slow.ttl=3s", "lock.names.slow.max-hold=6s",
			"lock.names.proceeding.on-store-failure=proceed");

	private final Jobs jobs = this.server.context().getBean(Jobs.class);

	private final Methods methods = this.server.context().getBean(Methods.class);

	private final LockRegistry locks = this.server.context().getBean(LockRegistry.class);

	private AllAlertsApplication() {
	}

	static AllAlertsApplication start() throws Exception {
		AllAlertsApplication application = new AllAlertsApplication();
		application.rejectAndWait();
		application.skip();
		application.renewAndLose();
		application.storeNoResult();
		application.killStore();
		return application;
	}

	String scrape() throws Exception {
		return this.server.get("/actuator/prometheus").body();
	}

	@Override
	public void close() {
		this.server.close();
		this.redis.close();
	}

	private void rejectAndWait() throws Exception {
		CompletableFuture<Integer> holder = post("/orders?number=1");
		this.jobs.get("1").awaitBegun();
		assertThat(post("/orders?number=1").join()).isEqualTo(409);
		assertThat(this.locks.tryAcquire("orders:1", Duration.ofMillis(1))).isEmpty();
		CompletableFuture<Integer> waiter = post("/orders/patient?number=1");
		LockInspector inspector = this.server.context().getBean(LockInspector.class);
		Awaitility.await().until(() -> inspector.waiters("orders") == 1);
		assertThat(post("/orders/patient?number=1").join()).isEqualTo(409);
		this.jobs.get("1").finish();
		assertThat(holder.join()).isEqualTo(200);
		assertThat(waiter.join()).isEqualTo(200);
	}

	private void skip() {
		try (Lease other = this.locks.acquire("nightly")) {
			this.methods.nightly();
			assertThat(other.isHeld()).isTrue();
		}
		this.methods.nightly();
	}

	private void renewAndLose() {
		assertThat(post("/slow").join()).isEqualTo(200);
	}

	private void storeNoResult() {
		assertThat(this.methods.large("1")).hasSize(2000);
		assertThat(this.methods.small("1")).isEqualTo("small");
		// That of the large one stands for a result that is not kept.
		assertThat(this.redis.ask(DAMAGE_RESULTS)).isEqualTo(":2");
		assertThatExceptionOfType(ResultUnavailableException.class).isThrownBy(() -> this.methods.small("1"));
	}

	private void killStore() {
		Lease lease = this.locks.acquire(LockKey.of("import:1"), LockOptions.of(Duration.ofMinutes(5)));
		this.redis.kill();
		assertThat(post("/orders?number=2").join()).isEqualTo(503);
		this.methods.proceed();
		assertThat(lease.isHeld()).isTrue();
		// The engine counts after it has answered.
		Awaitility.await().untilAsserted(() -> assertThat(scrape()).contains("outcome=\"error\""));
	}

	private CompletableFuture<Integer> post(String path) {
		return this.server.postAsync(path).thenApply((response) -> response.statusCode());
	}

	@RestController
	static class Orders {

		private final Jobs jobs;

		Orders(Jobs jobs) {
			this.jobs = jobs;
		}

		@PostMapping("/orders")
		@ExclusiveRequest(name = "orders", key = "#number")
		public String place(@RequestParam String number) {
			return this.jobs.get(number).run();
		}

		@PostMapping("/orders/patient")
		@ExclusiveRequest(name = "orders", key = "#number", waitTime = "1m")
		public String placeLater(@RequestParam String number) {
			return number;
		}

		/** Ends when its lease is lost. */
		@PostMapping("/slow")
		@ExclusiveRequest(name = "slow")
		public String slow(Lease lease) {
			CompletableFuture<String> lost = new CompletableFuture<>();
			lease.onLost(() -> lost.complete("lost"));
			return lost.join();
		}

	}

	static class Methods {

		@ExclusiveRequest(name = "nightly", onConflict = OnConflict.SKIP)
		public void nightly() {
		}

		@ExclusiveRequest(name = "large", key = "#number", replay = "1h")
		public String large(String number) {
			return "x".repeat(2000);
		}

		@ExclusiveRequest(name = "small", key = "#number", replay = "1h")
		public String small(String number) {
			return "small";
		}

		@ExclusiveRequest(name = "proceeding")
		public void proceed() {
		}

	}

}
