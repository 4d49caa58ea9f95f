package io.github.lockstarter.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.isNull;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.verify;

class SeveralLocksTests {

	private static final LockKey A = new LockKey("account", "a");

	private static final LockKey B = new LockKey("account", "b");

	private final LockStore store = spy(new MemoryLockStore());

	private final StoredLock a = spyOf(A);

	private final StoredLock b = spyOf(B);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withBean(LockStore.class, () -> this.store)
		.withBean(Accounts.class);

	private StoredLock spyOf(LockKey key) {
		StoredLock lock = spy(this.store.lock(key));
		doReturn(lock).when(this.store).lock(key);
		return lock;
	}

	@Test
	@DisplayName("In whatever order they are declared, locks are acquired in one order and released in reverse")
	void order() {
		this.runner.run((context) -> {
			context.getBean(Accounts.class).transfer("b", "a", () -> "done");
			InOrder order = inOrder(this.a, this.b);
			order.verify(this.a).acquire(any());
			order.verify(this.b).acquire(any());
			order.verify(this.b).release(any(), isNull());
			order.verify(this.a).release(any(), isNull());
		});
	}

	@Test
	@DisplayName("The locks of a method that returns before its work has ended are acquired and released in the same order")
	void orderOfAsynchronousWork() {
		this.runner.run((context) -> {
			assertThat(context.getBean(Accounts.class).transferLater("b", "a").block()).isEqualTo("done");
			InOrder order = inOrder(this.a, this.b);
			order.verify(this.a).acquire(any());
			order.verify(this.b).acquire(any());
			order.verify(this.b).release(any(), isNull());
			order.verify(this.a).release(any(), isNull());
		});
	}

	@Test
	@DisplayName("Two methods that declare the same locks in opposite order do not deadlock")
	void noDeadlock() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(8);
		try {
			this.runner.withPropertyValues("lock.wait=30s").run((context) -> {
				Accounts accounts = context.getBean(Accounts.class);
				CountDownLatch start = new CountDownLatch(1);
				List<Future<String>> calls = new ArrayList<>();
				for (int i = 0; i < 200; i++) {
					boolean forth = i % 2 == 0;
					calls.add(threads.submit(() -> {
						start.await();
						return forth ? accounts.transfer("a", "b", () -> "done")
								: accounts.back("a", "b", () -> "done");
					}));
				}
				start.countDown();
				for (Future<String> call : calls) {
					assertThat(call.get(20, TimeUnit.SECONDS)).isEqualTo("done");
				}
			});
		}
		finally {
			threads.shutdownNow();
		}
	}

	static class Accounts {

		@ExclusiveRequest(name = "account", key = "#from")
		@ExclusiveRequest(name = "account", key = "#to")
		public String transfer(String from, String to, Callable<String> work) throws Exception {
			return work.call();
		}

		@ExclusiveRequest(name = "account", key = "#to")
		@ExclusiveRequest(name = "account", key = "#from")
		public String back(String from, String to, Callable<String> work) throws Exception {
			return work.call();
		}

		@ExclusiveRequest(name = "account", key = "#from")
		@ExclusiveRequest(name = "account", key = "#to")
		public Mono<String> transferLater(String from, String to) {
			return Mono.just("done");
		}

	}

}
