package io.github.lockstarter.interceptor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.completion.LeaseContext;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.operation.TestOperations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Methods that return a stage, whose caller does not stay until the locks are granted.
 */
class CompletionStageCallsTests {

	private final FakeRegistry registry = new FakeRegistry();

	private final List<Runnable> tasks = new ArrayList<>();

	private Executor executor = this.tasks::add;

	private final InterceptorContext context = this.registry.context(new CallerTasks(() -> this.executor, List::of),
			new LastRuns());

	private final LockOperationSource operations = TestOperations.source();

	private final Work target = new Work();

	@Test
	@DisplayName("If the lock is granted at once, the method runs on the thread of its caller")
	void grantedAtOnce() {
		CompletionStage<String> stage = work(true).stage("1");
		assertThat(this.target.thread).isSameAs(Thread.currentThread());
		assertThat(this.tasks).isEmpty();
		assertThat(stage.toCompletableFuture()).isNotDone();
		assertThat(this.registry.released).isEmpty();
		this.target.later.complete("done");
		assertThat(stage.toCompletableFuture()).isCompletedWithValue("done");
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("If it is rejected at once, the stage fails, and nothing is thrown")
	void rejectedAtOnce() {
		this.registry.hold("a:1");
		assertFailsWith(LockConflictException.class, work(true).stage("1"));
		assertThat(this.target.runs).isZero();
	}

	@Test
	@DisplayName("An exception of the method is thrown while its caller is there, and the lock is released")
	void throwsAtOnce() {
		this.target.failure = new IllegalArgumentException();
		assertThatIllegalArgumentException().isThrownBy(() -> work(true).stage("1")).isSameAs(this.target.failure);
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("A caller that may block waits for the first answer of the store, also if another thread brings it")
	void mayBlock() {
		this.registry.grantWhileWaiting("a:1");
		work(true).stage("1");
		assertThat(this.target.thread).isSameAs(Thread.currentThread());
	}

	@Test
	@DisplayName("One that must not block has a stage at once, and does not wait")
	void mustNotBlock() {
		CompletableFuture<Lease> granted = this.registry.grantWhileWaiting("a:1");
		CompletionStage<String> stage = work(false).stage("1");
		assertThat(granted.cancel(false)).isTrue();
		assertFailsWith(CancellationException.class, stage);
		assertThat(this.target.runs).isZero();
	}

	@Test
	@DisplayName("If the lock is held, the method runs after the grant, as a task of the application, and the stage ends like its own")
	void waits() {
		CompletableFuture<Lease> pending = this.registry.pend("a:1", new CompletableFuture<>());
		CompletionStage<String> stage = work(true).stage("1");
		pending.complete(this.registry.lease("a:1"));
		assertThat(this.target.runs).isZero();
		runTask();
		assertThat(this.target.runs).isEqualTo(1);
		assertThat(stage.toCompletableFuture()).isNotDone();
		assertThat(this.registry.released).isEmpty();
		this.target.later.complete("done");
		assertThat(stage.toCompletableFuture()).isCompletedWithValue("done");
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("It fails like the stage of the method, and like the method itself")
	void failsLater() {
		CompletionStage<String> failed = granted();
		runTask();
		this.target.later.completeExceptionally(new IllegalArgumentException());
		assertFailsWith(IllegalArgumentException.class, failed);
		this.target.failure = new IllegalStateException();
		CompletionStage<String> thrown = granted();
		runTask();
		assertFailsWith(IllegalStateException.class, thrown);
		assertThat(this.registry.released).containsExactly("a:1", "a:1");
	}

	@Test
	@DisplayName("A method that returns no stage has ended, without a value")
	void noStage() {
		CompletableFuture<Lease> pending = this.registry.pend("c:1", new CompletableFuture<>());
		CompletionStage<String> stage = work(true).none("1");
		pending.complete(this.registry.lease("c:1"));
		runTask();
		assertThat(stage.toCompletableFuture()).isCompletedWithValue(null);
		assertThat(this.registry.released).containsExactly("c:1");
	}

	@Test
	@DisplayName("A rejection after a wait fails the stage, and needs no task for that")
	void rejectedLater() {
		CompletableFuture<Lease> pending = this.registry.pend("a:1", new CompletableFuture<>());
		CompletionStage<String> stage = work(true).stage("1");
		pending.completeExceptionally(new IllegalStateException());
		assertFailsWith(IllegalStateException.class, stage);
		assertThat(this.tasks).isEmpty();
		assertThat(this.target.runs).isZero();
	}

	@Test
	@DisplayName("If the caller cancels the stage, the wait ends")
	void cancelledWait() {
		CompletableFuture<Lease> pending = this.registry.pend("a:1", new CompletableFuture<>());
		work(true).stage("1").toCompletableFuture().cancel(false);
		assertThat(pending).isCancelled();
	}

	@Test
	@DisplayName("If it does so before the task runs, the lock is given back, and the task does nothing")
	void cancelledTask() {
		granted().toCompletableFuture().cancel(false);
		assertThat(this.registry.released).containsExactly("unused a:1");
		runTask();
		assertThat(this.target.runs).isZero();
	}

	@Test
	@DisplayName("Once the method runs, its lock is released with its work, whatever the caller does")
	void cancelledWork() {
		CompletionStage<String> stage = granted();
		runTask();
		stage.toCompletableFuture().cancel(false);
		assertThat(this.registry.released).isEmpty();
		this.target.later.complete("done");
		assertThat(this.registry.released).containsExactly("a:1");
		assertFailsWith(CancellationException.class, stage);
	}

	@Test
	@DisplayName("If the task executor rejects the method, the stage fails, and the lock is given back")
	void rejected() {
		this.executor = (task) -> {
			throw new RejectedExecutionException();
		};
		assertFailsWith(RejectedExecutionException.class, granted());
		assertThat(this.registry.released).containsExactly("unused a:1");
		assertThat(this.target.runs).isZero();
	}

	@Test
	@DisplayName("If there is no task executor, the stage fails at once, and the wait ends")
	void withoutExecutor() {
		CompletableFuture<Lease> pending = this.registry.pend("a:1", new CompletableFuture<>());
		InterceptorContext withoutExecutor = this.registry.context(new CallerTasks(() -> {
			throw new IllegalStateException();
		}, List::of), new LastRuns());
		assertFailsWith(IllegalStateException.class, work(true, withoutExecutor).stage("1"));
		assertThat(pending).isCancelled();
	}

	@Test
	@DisplayName("The executor gets the task with the class loader of the caller, on whatever thread the lock is granted")
	void classLoader() throws Exception {
		ClassLoader[] loader = new ClassLoader[1];
		this.executor = (task) -> loader[0] = Thread.currentThread().getContextClassLoader();
		CompletableFuture<Lease> pending = this.registry.pend("a:1", new CompletableFuture<>());
		work(true).stage("1");
		Thread other = new Thread(() -> pending.complete(this.registry.lease("a:1")));
		other.setContextClassLoader(null);
		other.start();
		other.join();
		assertThat(loader).containsExactly(Thread.currentThread().getContextClassLoader());
	}

	/** The lock was held, and is granted now. */
	private CompletionStage<String> granted() {
		CompletableFuture<Lease> pending = this.registry.pend("a:1", new CompletableFuture<>());
		CompletionStage<String> stage = work(true).stage("1");
		pending.complete(this.registry.lease("a:1"));
		return stage;
	}

	private void runTask() {
		assertThat(this.tasks).hasSize(1);
		this.tasks.remove(0).run();
		assertThat(LeaseContext.snapshot()).isEmpty();
	}

	private static void assertFailsWith(Class<? extends Throwable> type, CompletionStage<String> stage) {
		assertThat(stage.toCompletableFuture()).isCompletedExceptionally();
		assertThat(stage.handle((value, failure) -> failure).toCompletableFuture().join()).isExactlyInstanceOf(type);
	}

	private Work work(boolean mayBlock) {
		return work(mayBlock, this.context);
	}

	private Work work(boolean mayBlock, InterceptorContext context) {
		ProxyFactory factory = new ProxyFactory(this.target);
		factory.setProxyTargetClass(true);
		factory.addAdvice((MethodInterceptor) (invocation) -> {
			LockedMethod method = TestOperations.find(this.operations, Work.class, invocation.getMethod().getName());
			return CompletionStageCalls.call(
					new LockedCall(invocation, method, context, CallOrigin.of(method, RequestSupport.NONE, null)),
					mayBlock);
		});
		return (Work) factory.getProxy();
	}

	static class Work {

		private final CompletableFuture<String> later = new CompletableFuture<>();

		private int runs;

		private @Nullable Thread thread;

		private @Nullable RuntimeException failure;

		@ExclusiveRequest(name = "a", key = "#key", onConflict = OnConflict.WAIT)
		public CompletionStage<String> stage(String key) {
			this.runs++;
			this.thread = Thread.currentThread();
			if (this.failure != null) {
				throw this.failure;
			}
			return this.later;
		}

		@ExclusiveRequest(name = "c", key = "#key", onConflict = OnConflict.WAIT)
		public @Nullable CompletionStage<String> none(String key) {
			return null;
		}

	}

}
