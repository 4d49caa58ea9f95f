package io.github.lockstarter.completion;

/**
 * The context class loader of a thread, for code of the application that continues on
 * another thread. That thread may have the one of the JVM, which does not find the
 * classes of an application that was started with {@code java -jar}.
 */
public final class CallerClassLoader {

	private CallerClassLoader() {
	}

	/** Returns a task that runs with the context class loader of this thread. */
	public static Runnable keep(Runnable task) {
		ClassLoader loader = Thread.currentThread().getContextClassLoader();
		return () -> {
			Thread thread = Thread.currentThread();
			ClassLoader own = thread.getContextClassLoader();
			thread.setContextClassLoader(loader);
			try {
				task.run();
			}
			finally {
				thread.setContextClassLoader(own);
			}
		};
	}

}
