package io.github.lockstarter.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Transports;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import org.jspecify.annotations.Nullable;

/**
 * Runs actions after the driver has read the replies that have arrived so far. A process
 * that stood still, for example during a garbage collection, continues with its timers
 * and with the threads that read replies in any order. So what a timer has noticed is
 * judged by this barrier.
 */
final class ReadBarrier {

	private static final AsyncLog logger = new AsyncLog(ReadBarrier.class);

	/**
	 * The ticks of a running process after which an action runs although a thread of the
	 * driver is blocked, so that no timeout depends on the code of others.
	 */
	private static final int MOST_TICKS = 20;

	private static final long TICK_MILLIS = 100;

	private final Supplier<ClientResources> resources;

	private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean passing = new AtomicBoolean();

	private @Nullable EventLoopGroup loops;

	ReadBarrier(Supplier<ClientResources> resources) {
		this.resources = resources;
	}

	/** Runs the action on a thread of the driver. It must not block. */
	void afterRead(Runnable action) {
		this.waiting.add(action);
		next();
	}

	private void next() {
		while (!this.waiting.isEmpty() && this.passing.compareAndSet(false, true)) {
			List<Runnable> actions = new ArrayList<>();
			for (Runnable action = this.waiting.poll(); action != null; action = this.waiting.poll()) {
				actions.add(action);
			}
			pass().whenComplete((passed, failure) -> {
				this.passing.set(false);
				actions.forEach(ReadBarrier::run);
				next();
			});
		}
	}

	/** A failure must not keep the other actions, or the next pass, from running. */
	private static void run(Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			logger.error("The judgement of a timeout failed", ex);
		}
	}

	/** Fails if the driver has been shut down, or cannot start a thread. */
	private CompletableFuture<Void> pass() {
		try {
			List<CompletableFuture<Void>> passed = new ArrayList<>();
			for (EventExecutor loop : loops()) {
				passed.add(pass(loop));
			}
			CompletableFuture<Void> all = CompletableFuture.allOf(passed.toArray(CompletableFuture<?>[]::new));
			limit(all, MOST_TICKS);
			return all;
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * A task that is scheduled by a task of the same loop runs in a later turn of the
	 * loop, and each turn begins with reading.
	 */
	private static CompletableFuture<Void> pass(EventExecutor loop) {
		CompletableFuture<Void> passed = new CompletableFuture<>();
		loop.execute(() -> loop.schedule(() -> passed.complete(null), 1, TimeUnit.MILLISECONDS));
		return passed;
	}

	private void limit(CompletableFuture<Void> all, int ticks) {
		if (ticks == 0) {
			all.complete(null);
		}
		else if (!all.isDone()) {
			this.resources.get()
				.timer()
				.newTimeout((tick) -> limit(all, ticks - 1), TICK_MILLIS, TimeUnit.MILLISECONDS);
		}
	}

	/** They end with the resources. */
	private synchronized EventLoopGroup loops() {
		EventLoopGroup known = this.loops;
		if (known == null) {
			known = this.resources.get().eventLoopGroupProvider().allocate(Transports.eventLoopGroupClass());
			this.loops = known;
		}
		return known;
	}

}
