package io.github.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.util.ClassUtils;

import io.github.lockstarter.LockConflictEvent;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockSkippedEvent;

/**
 * Publishes events for calls of annotated methods that were refused or skipped. The
 * caller only adds the event to a lock-free queue, and does nothing if there are no
 * listeners. All listeners share one thread, and the queue is bounded.
 */
public final class ConflictEvents implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(ConflictEvents.class);

	static final int MAX_WAITING = 1000;

	private final Consumer<Object> listeners;

	private final ExecutorService executor;

	private final Queue<Object> queue = new ConcurrentLinkedQueue<>();

	/** The size of the queue, which the queue itself cannot return in constant time. */
	private final AtomicInteger waiting = new AtomicInteger();

	private final AtomicBoolean delivering = new AtomicBoolean();

	/** Set from the first dropped event until the listeners have caught up. */
	private final AtomicBoolean dropping = new AtomicBoolean();

	private final AtomicBoolean failureLogged = new AtomicBoolean();

	private volatile boolean conflicts;

	private volatile boolean skips;

	/**
	 * Creates a publisher, which publishes no event before
	 * {@link #publish(boolean, boolean)}.
	 * @param listeners receives each event
	 */
	public ConflictEvents(Consumer<Object> listeners) {
		this(listeners, threads());
	}

	ConflictEvents(Consumer<Object> listeners, ExecutorService executor) {
		this.listeners = listeners;
		this.executor = executor;
	}

	/** One thread for the listeners, and one for the warning that they are slow. */
	private static ExecutorService threads() {
		CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-events-");
		threads.setDaemon(true);
		return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
	}

	/**
	 * Sets the events to publish from now on.
	 * @param conflicts whether there is a listener for {@link LockConflictEvent}
	 * @param skips whether there is a listener for {@link LockSkippedEvent}
	 */
	public void publish(boolean conflicts, boolean skips) {
		this.conflicts = conflicts;
		this.skips = skips;
	}

	/** Publishes that a call was refused. */
	public void refused(LockKey key, LockConflictException conflict) {
		if (this.conflicts) {
			submit(new LockConflictEvent(key, conflict.getConflictReason()));
		}
	}

	/** Publishes that a call was skipped. */
	public void skipped(LockKey key, Method method) {
		if (this.skips) {
			submit(new LockSkippedEvent(key, ClassUtils.getQualifiedMethodName(method)));
		}
	}

	private void submit(Object event) {
		if (this.waiting.incrementAndGet() <= MAX_WAITING) {
			this.queue.add(event);
			startDelivery();
		}
		else {
			this.waiting.decrementAndGet();
			dropped();
		}
	}

	private void startDelivery() {
		if (this.delivering.compareAndSet(false, true) && !execute(this::deliver)) {
			// The next event tries again.
			this.delivering.set(false);
		}
	}

	/** Returns whether a thread could be started for the task. */
	private boolean execute(Runnable task) {
		try {
			this.executor.execute(task);
			return true;
		}
		catch (Throwable ex) {
			return false;
		}
	}

	private void deliver() {
		for (Object event = this.queue.poll(); event != null; event = this.queue.poll()) {
			this.waiting.decrementAndGet();
			deliver(event);
		}
		this.dropping.set(false);
		this.delivering.set(false);
		if (!this.queue.isEmpty()) {
			startDelivery();
		}
	}

	private void deliver(Object event) {
		try {
			this.listeners.accept(event);
		}
		catch (Throwable ex) {
			if (this.failureLogged.compareAndSet(false, true)) {
				logger.error("A listener of %s failed; further failures are not logged"
					.formatted(event.getClass().getSimpleName()), ex);
			}
		}
	}

	/**
	 * Logged on another thread: an appender may block, and the caller's thread may be an
	 * event loop.
	 */
	private void dropped() {
		if (!this.dropping.get() && this.dropping.compareAndSet(false, true)) {
			execute(() -> logger.warn(
					"%d events of refused or skipped calls are queued for slow listeners. Further events are dropped until the listeners have caught up"
						.formatted(MAX_WAITING)));
		}
	}

	/** Drops the queued events, and interrupts a running listener. */
	@Override
	public void close() {
		publish(false, false);
		this.queue.clear();
		this.executor.shutdownNow();
	}

}
