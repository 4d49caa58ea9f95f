package io.github.lockstarter.service;

import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.service.RunningService.Response;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that wait for a lock.
 */
class WaitingTests {

	private RunningService service;

	@BeforeEach
	void start() {
		this.service = RunningService.start("lock.service.max-wait=5m");
	}

	@AfterEach
	void stop() {
		this.service.close();
	}

	@Test
	@DisplayName("A request waits, and is granted the lock when the holder releases it")
	void waits() {
		String token = this.service.send("PUT", "/locks/w").token();
		CompletableFuture<Response> waiting = this.service.sendAsync("PUT", "/locks/w?wait=1m");
		awaitWaiting(1);
		assertThat(waiting).isNotDone();
		this.service.send("DELETE", "/locks/w", "Lock-Token", token);
		assertThat(waiting).succeedsWithin(10, TimeUnit.SECONDS);
		assertThat(waiting.join().status()).isEqualTo(201);
		assertThat(waiting.join().token()).isNotEqualTo(token);
	}

	@Test
	@DisplayName("A wait that times out gets 409 and its own problem type")
	void waitIsOver() {
		this.service.send("PUT", "/locks/w");
		Response rejected = this.service.send("PUT", "/locks/w?wait=100ms");
		assertThat(rejected.status()).isEqualTo(409);
		assertThat(rejected.problem()).isEqualTo("wait-timeout");
		assertThat(rejected.header("Retry-After")).isNotEmpty();
	}

	@Test
	@DisplayName("A request that finds the wait queue full gets 409 and its own problem type, whatever status is configured")
	void queueIsFull() {
		this.service.close();
		this.service = RunningService.start("lock.max-waiters=1", "lock.web.conflict-status=422");
		this.service.send("PUT", "/locks/w");
		this.service.sendAsync("PUT", "/locks/w?wait=1m");
		awaitWaiting(1);
		for (Response rejected : List.of(this.service.send("PUT", "/locks/w?wait=1m"),
				this.service.send("PUT", "/locks/w?wait=1m", "Lock-Token", "a-token-that-nobody-has"),
				this.service.send("GET", "/lock?hash=w&wait=1m"))) {
			assertThat(rejected.status()).isEqualTo(409);
			assertThat(rejected.problem()).isEqualTo("wait-queue-full");
			assertThat(rejected.json().get("detail").asString()).contains("too many requests are already waiting");
			assertThat(rejected.header("Retry-After")).isNotEmpty();
		}
		assertThat(this.service.send("PUT", "/locks/w").problem()).isEqualTo("request-in-progress");
	}

	@Test
	@DisplayName("The holder can extend the lock while others wait")
	void holderExtends() {
		String token = this.service.send("PUT", "/locks/w").token();
		CompletableFuture<Response> waiting = this.service.sendAsync("PUT", "/locks/w?wait=1m");
		awaitWaiting(1);
		assertThat(this.service.send("PUT", "/locks/w", "Lock-Token", token).status()).isEqualTo(200);
		assertThat(waiting).isNotDone();
		this.service.send("DELETE", "/locks/w", "Lock-Token", token);
		assertThat(waiting.join().status()).isEqualTo(201);
	}

	@Test
	@DisplayName("A waiter that disconnects takes no lock, with or without its own token; the next waiter gets the lock")
	void clientsDisconnect() throws IOException {
		String token = this.service.send("PUT", "/locks/w").token();
		for (int i = 0; i < 20; i++) {
			Socket gone = this.service.sendRaw("PUT /locks/w?wait=1m",
					(i % 2 == 0) ? "Lock-Token: nobody-is-left-" + i + "-0000" : "Accept: */*");
			awaitWaiting(i + 1);
			gone.close();
		}
		Awaitility.await().until(() -> waiting() == 0);
		this.service.send("DELETE", "/locks/w", "Lock-Token", token);
		assertThat(this.service.isHeld("w")).isFalse();
		assertThat(this.service.send("PUT", "/locks/w").status()).isEqualTo(201);
	}

	@Test
	@DisplayName("Two thousand waiting requests hold no threads, and end when their clients disconnect")
	void noThreads() throws IOException {
		String token = this.service.send("PUT", "/locks/w?ttl=5m").token();
		int before = Thread.activeCount();
		List<Socket> clients = new ArrayList<>();
		for (int i = 0; i < 2000; i++) {
			clients.add(this.service.sendRaw("PUT /locks/w?wait=5m"));
		}
		awaitWaiting(2000);
		assertThat(Thread.activeCount()).isLessThan(before + 50);
		for (Socket client : clients) {
			client.close();
		}
		// The waiters end first: otherwise the release would hand the lock to a
		// disconnected client.
		Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> waiting() == 0);
		this.service.send("DELETE", "/locks/w", "Lock-Token", token);
		assertThat(this.service.isHeld("w")).isFalse();
	}

	@Test
	@DisplayName("Waiters at one instance are served in order of arrival")
	void inOrder() {
		String token = this.service.send("PUT", "/locks/w").token();
		List<CompletableFuture<Response>> waiting = IntStream.range(0, 5).mapToObj((i) -> {
			CompletableFuture<Response> each = this.service.sendAsync("PUT", "/locks/w?wait=1m");
			awaitWaiting(i + 1);
			return each;
		}).toList();
		for (CompletableFuture<Response> next : waiting) {
			assertThat(waiting.subList(waiting.indexOf(next), 5)).noneMatch(CompletableFuture::isDone);
			assertThat(this.service.send("DELETE", "/locks/w", "Lock-Token", token).status()).isEqualTo(204);
			token = next.join().token();
		}
	}

	@Test
	@DisplayName("At shutdown, waiters get 503")
	void shutdown() {
		this.service.send("PUT", "/locks/w");
		CompletableFuture<Response> waiting = this.service.sendAsync("PUT", "/locks/w?wait=5m");
		awaitWaiting(1);
		this.service.close();
		assertThat(waiting).succeedsWithin(10, TimeUnit.SECONDS);
		assertThat(waiting.join().status()).isEqualTo(503);
		assertThat(waiting.join().problem()).isEqualTo("lock-store-unavailable");
	}

	/** Waits until that many requests have found the lock held. */
	private void awaitWaiting(int count) {
		LockCounts counts = this.service.context().getBean(LockCounts.class);
		Awaitility.await()
			.atMost(1, TimeUnit.MINUTES)
			.until(() -> counts.get("service.taro", Event.CONTENDED) >= count);
	}

	private long waiting() {
		return this.service.context().getBean(LockInspector.class).waiters("service.taro");
	}

}
