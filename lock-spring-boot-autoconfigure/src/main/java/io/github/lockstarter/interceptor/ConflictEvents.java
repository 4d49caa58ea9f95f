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
 * Publishes that calls of annotated methods were refused or skipped. The caller only adds
 * the event to a queue, without a lock, and nothing at all if there are no listeners.
 * However slow the listeners are, they have one thread, and the queue is bounded.
 */
public final class ConflictEvents implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(ConflictEvents.class);

	static final int MAX_WAITING = 1000;

	private final Consumer<Object> listeners;

	private final ExecutorService executor;

	private final Queue<Object> queue = new ConcurrentLinkedQueue<>();

	/** The size of the queue, which does not know it itself. */
	private final AtomicInteger waiting = new AtomicInteger();

	private final AtomicBoolean delivering = new AtomicBoolean();

	/** From the first event that is dropped until the listeners have caught up. */
	private final AtomicBoolean dropping = new AtomicBoolean();

	private final AtomicBoolean failureLogged = new AtomicBoolean();

	private volatile boolean conflicts;

	private volatile boolean skips;

	/**
	 * Creates the events of an application, of which none is published before
	 * {@link #publish(boolean, boolean)}.
	 * @param listeners is given each event
	 */
	public ConflictEvents(Consumer<Object> listeners) {
		this(listeners, threads());
	}

	ConflictEvents(Consumer<Object> listeners, ExecutorService executor) {
		this.listeners = listeners;
		this.executor = executor;
	}

	/** One thread for the listeners, and one to log that they are slow. */
	private static ExecutorService threads() {
		CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-events-");
		threads.setDaemon(true);
		return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
	}

	/**
	 * Determines from now on which events are published.
	 * @param conflicts whether there is a listener for {@link LockConflictEvent}
	 * @param skips whether there is a listener for {@link LockSkippedEvent}
	 */
	public void publish(boolean conflicts, boolean skips) {
		this.conflicts = conflicts;
		this.skips = skips;
	}

	/** Takes note of a call that was refused. */
	public void refused(LockKey key, LockConflictException conflict) {
		if (this.conflicts) {
			submit(new LockConflictEvent(key, conflict.getConflictReason()));
		}
	}

	/** Takes note of a call that was skipped. */
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
			// The next event tries it again.
			this.delivering.set(false);
		}
	}

	/** Returns whether there is a thread for it. */
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

	/** An appender may block, and the caller's thread may be that of an event loop. */
	private void dropped() {
		if (!this.dropping.get() && this.dropping.compareAndSet(false, true)) {
			execute(() -> logger.warn(
					"%d events of refused or skipped calls wait for their listeners; further ones are dropped until the listeners have caught up"
						.formatted(MAX_WAITING)));
		}
	}

	/** Drops what waits, and interrupts a listener at work. */
	@Override
	public void close() {
		publish(false, false);
		this.queue.clear();
		this.executor.shutdownNow();
	}

}
