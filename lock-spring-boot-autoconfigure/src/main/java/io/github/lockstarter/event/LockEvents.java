package io.github.lockstarter.event;

import java.lang.reflect.Method;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.util.ClassUtils;

import io.github.lockstarter.LeaseLostEvent;
import io.github.lockstarter.LockConflictEvent;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockSkippedEvent;
import io.github.lockstarter.count.LockEventCounter;

/**
 * Publishes all events of locks to their listeners, on threads that no caller needs.
 * <p>
 * There may be thousands of rejected and skipped calls. Their caller only adds the event
 * to a lock-free queue, and does nothing if there are no listeners. One thread at a time
 * publishes these events. The queue is bounded: further events are dropped and counted. A
 * lost lease is never dropped, and waits for no other event.
 */
public final class LockEvents implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockEvents.class);

	static final int MAX_WAITING = 1000;

	private final Consumer<Object> listeners;

	private final Supplier<Executor> threads;

	private final Supplier<LockEventCounter> counts;

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
	 * Creates a publisher, which publishes no conflict and no skip before
	 * {@link #publish(boolean, boolean)}.
	 * @param listeners receives each event
	 * @param threads returns the executor on which listeners may block
	 * @param counts returns the counts to which dropped events are added
	 */
	public LockEvents(Consumer<Object> listeners, Supplier<Executor> threads, Supplier<LockEventCounter> counts) {
		this.listeners = listeners;
		this.threads = threads;
		this.counts = counts;
	}

	/**
	 * Sets the events to publish from now on. Lost leases are always published.
	 * @param conflicts whether there is a listener for {@link LockConflictEvent}
	 * @param skips whether there is a listener for {@link LockSkippedEvent}
	 */
	public void publish(boolean conflicts, boolean skips) {
		this.conflicts = conflicts;
		this.skips = skips;
	}

	/** Publishes that a call was rejected. */
	public void rejected(LockKey key, LockConflictException conflict) {
		if (this.conflicts) {
			submit(key, new LockConflictEvent(key, conflict.getConflictReason()));
		}
	}

	/** Publishes that a call was skipped. */
	public void skipped(LockKey key, Method method) {
		if (this.skips) {
			submit(key, new LockSkippedEvent(key, ClassUtils.getQualifiedMethodName(method)));
		}
	}

	/**
	 * Publishes that a lease was lost, on this thread.
	 * @param loss the event, on a thread on which listeners may block
	 */
	public void lost(LeaseLostEvent loss) {
		this.listeners.accept(loss);
	}

	private void submit(LockKey key, Object event) {
		if (this.waiting.incrementAndGet() <= MAX_WAITING) {
			this.queue.add(event);
			startDelivery();
		}
		else {
			this.waiting.decrementAndGet();
			dropped(key);
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
			this.threads.get().execute(task);
			return true;
		}
		catch (Throwable ex) {
			return false;
		}
	}

	private void deliver() {
		try {
			for (Object event = this.queue.poll(); event != null; event = this.queue.poll()) {
				this.waiting.decrementAndGet();
				deliver(event);
			}
		}
		finally {
			this.dropping.set(false);
			this.delivering.set(false);
			if (!this.queue.isEmpty()) {
				startDelivery();
			}
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
	 * event loop. The first event of a lock name is counted there, too, because it
	 * registers meters.
	 */
	private void dropped(LockKey key) {
		LockEventCounter counts = this.counts.get();
		if (counts.knows(key.name())) {
			counts.add(key.name(), Event.EVENT_DROPPED);
		}
		else {
			execute(() -> counts.add(key.name(), Event.EVENT_DROPPED));
		}
		if (!this.dropping.get() && this.dropping.compareAndSet(false, true)) {
			execute(() -> logger.warn(
					"%d events of rejected or skipped calls are queued for slow listeners. Further events are dropped until the listeners have caught up"
						.formatted(MAX_WAITING)));
		}
	}

	/** Drops the queued conflicts and skips. */
	@Override
	public void close() {
		publish(false, false);
		this.queue.clear();
	}

}
