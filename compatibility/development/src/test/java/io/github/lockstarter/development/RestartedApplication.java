package io.github.lockstarter.development;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.devtools.restart.Restarter;
import org.springframework.boot.devtools.restart.classloader.RestartClassLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictEvent;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Restarts itself ten times. What has to survive a restart is in system properties, since
 * the classes do not.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(RestartedApplication.Orders.class)
public class RestartedApplication {

	private static final Duration SOON = Duration.ofMinutes(2);

	private static final String RESTARTS = "test.restarts";

	private static final String THREADS = "test.threads";

	public static void main(String[] args) throws Exception {
		SpringApplication application = new SpringApplication(RestartedApplication.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		use(application.run(args));
		int restarts = Integer.getInteger(RESTARTS, 0);
		System.setProperty(RESTARTS, Integer.toString(restarts + 1));
		Thread next = new Thread(() -> {
			if (restarts == 10) {
				settle(Integer.getInteger(THREADS));
				return;
			}
			if (restarts == 0) {
				System.setProperty(THREADS, Integer.toString(threads()));
				System.out.println("started with " + threads() + " threads");
				awaitInput();
			}
			Restarter.getInstance().restart();
		}, "restarts");
		next.start();
	}

	/**
	 * Starts all threads and connections that there may be: contention, a waiter for a
	 * lock of another client, responses, events.
	 */
	private static void use(ConfigurableApplicationContext context) {
		LockRegistry locks = context.getBean(LockRegistry.class);
		Orders orders = context.getBean(Orders.class);
		int redis = context.getEnvironment().getRequiredProperty("spring.data.redis.port", Integer.class);
		String key;
		try (Lease lease = locks.acquire("orders:1")) {
			key = ask(redis, "EVAL \"return redis.call('keys', '*:orders:1')[1]\" 0");
			assertThat(key).as("the key of %s", lease.key()).endsWith("orders:1");
		}
		assertThat(ask(redis, "SET %s another-client NX PX 600000".formatted(key))).isEqualTo("+OK");
		CompletableFuture<String> waiting = orders.later("1");
		CompletableFuture<?> answer = locks.acquireAsync("others:1")
			.thenCompose(Lease::releaseAsync)
			.toCompletableFuture();
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> orders.now("1"));
		answer.join();
		await().atMost(SOON).until(() -> ask(redis, "CLIENT LIST TYPE pubsub").contains("sub=1"));
		assertThat(waiting).isNotDone();
		ask(redis, "DEL " + key);
		ask(redis, "PUBLISH lock:released " + key);
		waiting.join();
		orders.conflict().join();
	}

	/** Sends a command, and returns the first line or the text of the reply. */
	private static String ask(int port, String command) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
			BufferedReader reply = new BufferedReader(
					new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
			String first = reply.readLine();
			return first.startsWith("$") ? reply.readLine() : first;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void awaitInput() {
		try {
			System.in.read();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Threads of the library and of the driver. */
	private static int threads() {
		return (int) Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().matches("(lock|lettuce)-.*"))
			.count();
	}

	/** Threads that end when they are idle may still be there. */
	private static void settle(int threadsAtStart) {
		await().atMost(SOON).untilAsserted(() -> {
			assertThat(threads()).isLessThanOrEqualTo(threadsAtStart);
			assertThat(withEarlierClassLoader()).isEmpty();
		});
		System.out.println("settled after ten restarts");
	}

	private static List<String> withEarlierClassLoader() {
		ClassLoader current = RestartedApplication.class.getClassLoader();
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getContextClassLoader() instanceof RestartClassLoader loader
					&& loader != current)
			.map(Thread::getName)
			.toList();
	}

	static class Orders {

		private final CompletableFuture<Void> conflict = new CompletableFuture<>();

		@ExclusiveRequest(name = "orders", key = "#id")
		void now(String id) {
		}

		@ExclusiveRequest(name = "orders", key = "#id", waitTime = "1m")
		CompletableFuture<String> later(String id) {
			return CompletableFuture.completedFuture(id);
		}

		@EventListener
		void rejected(LockConflictEvent event) {
			this.conflict.complete(null);
		}

		CompletableFuture<Void> conflict() {
			return this.conflict;
		}

	}

}
