package io.github.lockstarter.faults.history;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.autoconfigure.LockAutoConfiguration;

/**
 * An application whose threads acquire and release a few locks until it is stopped, and
 * record a history.
 */
final class Worker {

	private static final int THREADS = 4;

	static final int KEYS = 4;

	/** A time longer than a lease without renewal. */
	private static final Duration LONG_HOLD = Duration.ofMillis(1500);

	private final History history;

	private final Locks locks;

	private final AtomicInteger leases = new AtomicInteger();

	private volatile boolean stopping;

	private Worker(History history, Locks locks) {
		this.history = history;
		this.locks = locks;
	}

	/** Arguments: the file for the history, and properties of the application. */
	public static void main(String[] args) throws Exception {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.run(Arrays.copyOfRange(args, 1, args.length))) {
			LockRegistry registry = context.getBean(LockRegistry.class);
			work(Path.of(args[0]), (key, wait) -> take(registry, new LockKey("history", key), wait));
		}
	}

	private static Optional<Held> take(LockRegistry registry, LockKey key, Duration wait) {
		LockOptions options = registry.options(key.name()).withWaitTime(wait);
		if (ThreadLocalRandom.current().nextBoolean()) {
			return registry.tryAcquire(key, options).map(RealLease::new);
		}
		try {
			return registry.tryAcquireAsync(key, options).toCompletableFuture().join().map(RealLease::new);
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof LockStoreException cause) ? cause : ex;
		}
	}

	/**
	 * Acquires and releases locks until the standard input contains the command to stop.
	 */
	static void work(Path file, Locks locks) throws Exception {
		try (History history = new History(file)) {
			Worker worker = new Worker(history, locks);
			ExecutorService executor = Executors.newFixedThreadPool(THREADS);
			List<Future<?>> threads = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				threads.add(executor.submit(worker::run));
			}
			System.out.println("working");
			worker.obey();
			worker.stopping = true;
			for (Future<?> thread : threads) {
				thread.get();
			}
			executor.shutdown();
			history.add(System.nanoTime(), "stopped");
		}
	}

	private void obey() throws IOException {
		BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = input.readLine(); line != null && !line.equals("stop"); line = input.readLine()) {
			if (line.equals("clock")) {
				System.out.println("clock " + System.nanoTime());
			}
		}
	}

	private void run() {
		Random random = new Random();
		while (!this.stopping) {
			String key = "k" + random.nextInt(KEYS);
			Duration wait = random.nextBoolean() ? Duration.ZERO : Duration.ofMillis(random.nextInt(3000));
			long asked = System.nanoTime();
			try {
				Optional<Held> granted = this.locks.take(key, wait);
				if (granted.isPresent()) {
					use(asked, key, granted.get(), hold(random));
				}
				else {
					this.history.add(asked, "rejected", key);
				}
			}
			catch (LockStoreException ex) {
				this.history.add(asked, "unknown", key, ex.getClass().getSimpleName());
				pause(Duration.ofMillis(50));
			}
			pause(Duration.ofMillis(random.nextInt(20)));
		}
	}

	private void use(long asked, String key, Held lease, Duration hold) {
		int number = this.leases.incrementAndGet();
		this.history.add(asked, "granted", number, key, lease.token());
		long end = System.nanoTime() + hold.toNanos();
		boolean held = recordIsHeld(number, lease);
		while (held && System.nanoTime() - end < 0) {
			pause(hold.dividedBy(4));
			held = recordIsHeld(number, lease);
		}
		long before = System.nanoTime();
		lease.release();
		this.history.add(before, "released", number);
		recordIsHeld(number, lease);
	}

	private boolean recordIsHeld(int number, Held lease) {
		long before = System.nanoTime();
		boolean held = lease.isHeld();
		this.history.add(before, held ? "held" : "not-held", number);
		return held;
	}

	private static Duration hold(Random random) {
		int kind = random.nextInt(200);
		return (kind == 0) ? LONG_HOLD : Duration.ofMillis(random.nextInt((kind < 10) ? 300 : 30));
	}

	static void pause(Duration duration) {
		long end = System.nanoTime() + duration.toNanos();
		for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
			LockSupport.parkNanos(Math.min(left, TimeUnit.MILLISECONDS.toNanos(100)));
		}
	}

	/** The locks that the worker uses. */
	@FunctionalInterface
	interface Locks {

		/**
		 * Acquires a lock, or returns empty if the wait times out.
		 */
		Optional<Held> take(String key, Duration wait);

	}

	/** An acquired lock. */
	interface Held {

		long token();

		boolean isHeld();

		void release();

	}

	private record RealLease(Lease lease) implements Held {

		@Override
		public long token() {
			return this.lease.fencingToken();
		}

		@Override
		public boolean isHeld() {
			return this.lease.isHeld();
		}

		@Override
		public void release() {
			this.lease.close();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LockAutoConfiguration.class })
	static class Application {

	}

}
