package io.github.lockstarter.interceptor;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.springframework.core.task.TaskDecorator;

import io.github.lockstarter.completion.CallerClassLoader;

/**
 * The task executor of the application, for the tasks of callers that have not waited on
 * their own thread.
 *
 * @param executor returns the task executor
 * @param decorators returns the decorators of tasks
 */
public record CallerTasks(Supplier<Executor> executor, Supplier<List<TaskDecorator>> decorators) {

	/**
	 * Returns the submission of a task to the executor. The task runs with the context of
	 * this thread: its context class loader, its security context, and what the
	 * decorators capture, which have the last word. The executor may decorate the task as
	 * well, but on the thread of the submission, which knows nothing of the caller.
	 */
	Runnable submission(Runnable task) {
		Executor executor = this.executor.get();
		Runnable decorated = task;
		for (TaskDecorator decorator : this.decorators.get()) {
			decorated = decorator.decorate(decorated);
		}
		Runnable ofCaller = CallerClassLoader.keep(CallerSecurityContext.keep(decorated));
		return () -> executor.execute(ofCaller);
	}

}
