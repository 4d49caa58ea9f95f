package io.github.lockstarter.completion;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import io.github.lockstarter.registry.sharing.SharingRegistry.ContentionListener;

/**
 * Runs answers on the thread of the caller while it waits for the first one. It leaves
 * when it has the answer, or the lock turns out to be held. Later answers are rejected,
 * so that they run on threads of the registry, where code of the application may block.
 */
public final class CallingThread implements ContentionListener {

	private final BlockingQueue<Runnable> answers = new LinkedBlockingQueue<>();

	private volatile boolean contended;

	private volatile boolean left;

	@Override
	public void execute(Runnable answer) {
		if (!this.left) {
			this.answers.add(answer);
			// The caller may have left in the meantime, without this answer.
			if (!this.left || !this.answers.remove(answer)) {
				return;
			}
		}
		throw new RejectedExecutionException("The caller has left");
	}

	@Override
	public void contended() {
		this.contended = true;
		wakeUp();
	}

	private void wakeUp() {
		this.answers.add(() -> {
		});
	}

	/**
	 * Waits on this thread, and runs the answers. An interrupt ends the wait. To be
	 * called once.
	 * @param time the longest wait; what has arrived is run even if it is zero
	 * @return whether the future is complete
	 */
	public boolean await(CompletableFuture<?> future, Duration time) {
		future.whenComplete((value, failure) -> wakeUp());
		long end = System.nanoTime() + time.toNanos();
		try {
			while (!future.isDone() && !this.contended) {
				Runnable answer = this.answers.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
				if (answer == null) {
					break;
				}
				answer.run();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.left = true;
		for (Runnable answer = this.answers.poll(); answer != null; answer = this.answers.poll()) {
			answer.run();
		}
		return future.isDone();
	}

}
