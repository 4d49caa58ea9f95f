package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import reactor.core.scheduler.Schedulers;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockstarter.store.redis.TestConnections;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.testing.BlockingCalls;
import io.github.lockstarter.store.redis.RedisInstance;
import io.github.lockstarter.testing.TestRedis;

/**
 * Acquires locks on event loops of two instances, mostly the same lock. Prints the number
 * of grants, and the calls that blocked a non-blocking thread.
 */
final class BlockHoundCallers {

	private static final int CALLERS = 3_000;

	private static final LockOptions WAITING = LockOptions.of(Duration.ofSeconds(30))
		.withWaitTime(Duration.ofSeconds(50));

	private static final LockOptions RENEWED = LockOptions.of(Duration.ofSeconds(2));

	private BlockHoundCallers() {
	}

	/** Arguments: blocking, asynchronous or unanswered, and the port of a Redis. */
	public static void main(String[] args) throws InterruptedException {
		BlockingCalls blockingCalls = BlockingCalls.watch();
		Caller caller = args[0].equals("blocking") ? BlockHoundCallers::block : BlockHoundCallers::compose;
		LettuceConnectionFactory factory = TestRedis.newConnectionFactory("127.0.0.1", Integer.parseInt(args[1]));
		Duration timeout = Duration.ofSeconds(args[0].equals("unanswered") ? 2 : 30);
		LockRegistry first = new RedisInstance(TestConnections.to("127.0.0.1", Integer.parseInt(args[1])), "watched", 0,
				CALLERS, timeout)
			.locks();
		LockRegistry second = new RedisInstance(TestConnections.to("127.0.0.1", Integer.parseInt(args[1])), "watched",
				0, CALLERS, timeout)
			.locks();
		first.tryAcquireAsync(new LockKey("watched", "renewed"), RENEWED).toCompletableFuture().join();
		if (args[0].equals("unanswered")) {
			factory.getConnection().execute("CLIENT", "PAUSE".getBytes(), "60000".getBytes());
		}
		System.out.println("served " + call(caller, first, second));
		blockingCalls.print();
		System.out.println("end");
		System.exit(0);
	}

	private static int call(Caller caller, LockRegistry... instances) throws InterruptedException {
		EventLoopGroup eventLoops = new MultiThreadIoEventLoopGroup(2, new DefaultThreadFactory("event-loop"),
				NioIoHandler.newFactory());
		List<Executor> executors = List.of(eventLoops, Schedulers.parallel()::schedule);
		AtomicInteger served = new AtomicInteger();
		CountDownLatch left = new CountDownLatch(CALLERS);
		for (int i = 0; i < CALLERS; i++) {
			LockRegistry locks = instances[i / 2 % 2];
			LockKey key = new LockKey("watched", (i % 10 < 8) ? "one" : "other" + i % 100);
			boolean givesUp = i % 10 == 5;
			executors.get(i % 2).execute(() -> caller.call(locks, key, givesUp).whenComplete((released, failure) -> {
				served.addAndGet((failure != null) ? 0 : 1);
				left.countDown();
			}));
		}
		left.await(50, TimeUnit.SECONDS);
		return served.get();
	}

	private static CompletableFuture<Void> block(LockRegistry locks, LockKey key, boolean givesUp) {
		locks.acquire(key, WAITING).close();
		return CompletableFuture.completedFuture(null);
	}

	private static CompletableFuture<Void> compose(LockRegistry locks, LockKey key, boolean givesUp) {
		CompletableFuture<Optional<Lease>> acquired = locks.tryAcquireAsync(key, WAITING).toCompletableFuture();
		CompletableFuture<Void> released = acquired.thenCompose((lease) -> lease.orElseThrow().releaseAsync());
		if (givesUp) {
			acquired.cancel(true);
		}
		return released;
	}

	/** Acquires and releases a lock. */
	private interface Caller {

		CompletableFuture<Void> call(LockRegistry locks, LockKey key, boolean givesUp);

	}

}
