package io.github.lockstarter.sample.console;

import java.io.PrintStream;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;

/**
 * Tasks that start at once, and print their begin and end.
 */
class Tasks {

	private static final LockKey KEY = new LockKey("console", "tasks");

	/** Long enough for the tasks of several processes. */
	private static final Duration WAIT = Duration.ofMinutes(10);

	private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");

	private final LockRegistry locks;

	private final ConsoleProperties properties;

	private final PrintStream output;

	private int running;

	private int most;

	Tasks(LockRegistry locks, ConsoleProperties properties, PrintStream output) {
		this.locks = locks;
		this.properties = properties;
		this.output = output;
	}

	/** Runs all tasks concurrently. */
	void parallel() throws InterruptedException, ExecutionException {
		run("without a lock", (task) -> work(task, ""));
	}

	/** Runs one task at a time, across all processes that use this lock. */
	void serial() throws InterruptedException, ExecutionException {
		LockOptions options = this.locks.options(KEY.name()).withWaitTime(WAIT);
		run("under one lock", (task) -> {
			try (Lease lease = this.locks.acquire(KEY, options)) {
				work(task, " (fencing token %d)".formatted(lease.fencingToken()));
			}
		});
	}

	private void run(String how, Task task) throws InterruptedException, ExecutionException {
		int count = this.properties.tasks();
		this.output.println("process %d starts %d tasks at once, %s".formatted(pid(), count, how));
		this.most = 0;
		CyclicBarrier start = new CyclicBarrier(count);
		ExecutorService threads = Executors.newFixedThreadPool(count);
		try {
			List<Future<?>> all = new ArrayList<>();
			for (int i = 1; i <= count; i++) {
				int number = i;
				all.add(threads.submit(() -> {
					start.await();
					task.run(number);
					return null;
				}));
			}
			for (Future<?> each : all) {
				each.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		this.output.println("at most %d at once in process %d".formatted(this.most, pid()));
	}

	private void work(int number, String details) throws InterruptedException {
		begin(number, details);
		Thread.sleep(this.properties.duration().toMillis());
		end(number);
	}

	private synchronized void begin(int number, String details) {
		this.running++;
		this.most = Math.max(this.most, this.running);
		print(number, "starts" + details);
	}

	private synchronized void end(int number) {
		this.running--;
		print(number, "ends");
	}

	private void print(int number, String what) {
		this.output.println("%s process %d task %2d %s".formatted(TIME.format(LocalTime.now(ZoneId.systemDefault())),
				pid(), number, what));
	}

	private static long pid() {
		return ProcessHandle.current().pid();
	}

	/** A task with a number. */
	private interface Task {

		void run(int number) throws InterruptedException;

	}

}
