package io.github.lockstarter.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

import org.springframework.util.JdkIdGenerator;

/**
 * Virtual time that advances by each wait, for both kinds of clients.
 */
final class VirtualTime implements Scheduler, IdempotentRetryInterceptor.Sleeper {

	/** A source of jitter that is always zero. */
	static final RandomGenerator ZERO = () -> 0;

	private final AtomicLong nanos = new AtomicLong();

	private final List<Duration> delays = new CopyOnWriteArrayList<>();

	/** Returns retries with this time. */
	Retries retries(RetryLimits limits, RandomGenerator random) {
		return new Retries(limits, new JdkIdGenerator(), random, this.nanos::get,
				() -> Instant.now().plusNanos(this.nanos.get()));
	}

	/** Returns the waits. */
	List<Duration> delays() {
		return this.delays;
	}

	/** Advances the time, for example during an attempt. */
	void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

	@Override
	public void sleep(Duration delay) {
		this.delays.add(delay);
		pass(delay);
	}

	@Override
	public Disposable schedule(Runnable task) {
		return Schedulers.parallel().schedule(task);
	}

	@Override
	public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
		sleep(Duration.of(delay, unit.toChronoUnit()));
		return schedule(task);
	}

	@Override
	public Worker createWorker() {
		return Schedulers.parallel().createWorker();
	}

}
