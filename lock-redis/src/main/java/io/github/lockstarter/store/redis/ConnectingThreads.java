package io.github.lockstarter.store.redis;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * Runs tasks that connect to Redis, which blocks, on threads that can be interrupted.
 */
final class ConnectingThreads implements Executor {

	private final Executor threads;

	private final Set<Thread> busy = ConcurrentHashMap.newKeySet();

	ConnectingThreads() {
		this(named("lock-redis-connect"));
	}

	ConnectingThreads(Executor threads) {
		this.threads = threads;
	}

	/** Returns an executor that starts a daemon thread for each task. */
	static Executor named(String name) {
		return (task) -> {
			Thread thread = new Thread(task, name);
			thread.setDaemon(true);
			thread.start();
		};
	}

	@Override
	public void execute(Runnable task) {
		this.threads.execute(() -> {
			Thread thread = Thread.currentThread();
			this.busy.add(thread);
			try {
				task.run();
			}
			finally {
				this.busy.remove(thread);
			}
		});
	}

	/**
	 * Ends the attempts to connect. To be called after the driver has been shut down,
	 * because some attempts would then never end.
	 */
	void interrupt() {
		this.busy.forEach(Thread::interrupt);
	}

}
