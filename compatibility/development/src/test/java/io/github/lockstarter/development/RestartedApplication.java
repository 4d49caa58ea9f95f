package io.github.lockstarter.development;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
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

/**
 * Restarts itself ten times. What has to survive a restart is in system properties, since
 * the classes do not.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(RestartedApplication.Orders.class)
public class RestartedApplication {

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

	/** Starts all threads that there may be: contention, waiters, answers, events. */
	private static void use(ConfigurableApplicationContext context) {
		LockRegistry locks = context.getBean(LockRegistry.class);
		Orders orders = context.getBean(Orders.class);
		CompletableFuture<String> waiting;
		try (Lease lease = locks.acquire("orders:1")) {
			waiting = orders.later("1");
			CompletableFuture<?> answer = locks.acquireAsync("others:1")
				.thenCompose(Lease::releaseAsync)
				.toCompletableFuture();
			try {
				orders.now("1");
				throw new IllegalStateException(lease.key() + " was granted twice");
			}
			catch (LockConflictException ex) {
				answer.join();
			}
		}
		waiting.join();
		orders.conflict().join();
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
		ClassLoader current = RestartedApplication.class.getClassLoader();
		while (true) {
			Set<Thread> all = Thread.getAllStackTraces().keySet();
			List<String> earlier = all.stream()
				.filter((thread) -> thread.getContextClassLoader() instanceof RestartClassLoader loader
						&& loader != current)
				.map(Thread::getName)
				.toList();
			if (threads() <= threadsAtStart && earlier.isEmpty()) {
				System.out.println("settled after ten restarts");
				return;
			}
			System.out.println("%d threads, with an earlier class loader %s".formatted(threads(), earlier));
			try {
				Thread.sleep(Duration.ofMillis(500).toMillis());
			}
			catch (InterruptedException ex) {
				return;
			}
		}
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
		void refused(LockConflictEvent event) {
			this.conflict.complete(null);
		}

		CompletableFuture<Void> conflict() {
			return this.conflict;
		}

	}

}
