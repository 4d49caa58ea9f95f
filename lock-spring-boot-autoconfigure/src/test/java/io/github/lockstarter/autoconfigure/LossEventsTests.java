package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentMatchers;
import org.mockito.Mockito;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostEvent;
import io.github.lockstarter.LockConflictEvent;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.registry.runtime.ThreadedRuntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The events of lost leases in an application, on a machine with two processors.
 */
class LossEventsTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	/** The time that listeners have to end at shutdown. */
	private static final Duration GRACE = Duration.ofSeconds(1);

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withUserConfiguration(TwoProcessors.class)
		.withPropertyValues("lock.store=memory");

	@Test
	@DisplayName("A listener of losses that blocks delays no grant, no rejection, and no other loss")
	void blocks() {
		this.runner.withUserConfiguration(Blocking.class, Reports.class).run((context) -> {
			LockRegistry locks = context.getBean(LockRegistry.class);
			Blocking listener = context.getBean(Blocking.class);
			for (int i = 0; i < 10; i++) {
				lose(context, "lost:" + i);
			}
			Awaitility.await().atMost(SOON).until(() -> listener.losses.size() == 10);
			assertThat(locks.acquireAsync(LockKey.of("free"), OPTIONS)).succeedsWithin(SOON).satisfies(Lease::close);
			Reports reports = context.getBean(Reports.class);
			reports.make("1");
			try (Lease lease = locks.acquire(LockKey.of("report:1"), OPTIONS)) {
				assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> reports.make("1"));
				assertThat(lease.isHeld()).isTrue();
			}
			Awaitility.await().atMost(SOON).until(() -> !listener.conflicts.isEmpty());
			listener.goOn.countDown();
		});
	}

	@Test
	@DisplayName("A listener of conflicts that blocks does not delay a loss")
	void conflictsBlock() {
		this.runner.withUserConfiguration(BlockingOfConflicts.class, Reports.class).run((context) -> {
			LockRegistry locks = context.getBean(LockRegistry.class);
			BlockingOfConflicts listener = context.getBean(BlockingOfConflicts.class);
			Reports reports = context.getBean(Reports.class);
			try (Lease lease = locks.acquire(LockKey.of("report:1"), OPTIONS)) {
				for (int i = 0; i < 10; i++) {
					assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> reports.make("1"));
				}
				assertThat(lease.isHeld()).isTrue();
			}
			Awaitility.await().atMost(SOON).until(() -> listener.conflicts.size() == 1);
			lose(context, "lost:1");
			Awaitility.await().atMost(SOON).until(() -> listener.losses.size() == 1);
			assertThat(listener.conflicts).hasSize(1);
			listener.goOn.countDown();
		});
	}

	@Test
	@DisplayName("A listener that throws an Error does not prevent the next loss")
	void throwsError() {
		this.runner.withUserConfiguration(Failing.class).run((context) -> {
			lose(context, "lost:1");
			lose(context, "lost:2");
			Awaitility.await().atMost(SOON).until(() -> context.getBean(Failing.class).losses.size() == 2);
		});
	}

	@Test
	@DisplayName("Listeners of one event run in their order, and on one thread")
	void ordered() {
		this.runner.withUserConfiguration(Ordered.class).run((context) -> {
			lose(context, "lost:1");
			Ordered listener = context.getBean(Ordered.class);
			Awaitility.await().atMost(SOON).until(() -> listener.calls.size() == 2);
			assertThat(listener.calls).containsExactly("first", "second");
			assertThat(listener.threads).allMatch((thread) -> thread == listener.threads.get(0))
				.allMatch((thread) -> thread.getName().startsWith("lock-events-"));
		});
	}

	@Test
	@DisplayName("A listener in the parent context is notified")
	void parent() {
		try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext(Recording.class)) {
			this.runner.withParent(parent).run((context) -> {
				lose(context, "lost:1");
				Awaitility.await().atMost(SOON).until(() -> parent.getBean(Recording.class).losses.size() == 1);
			});
		}
	}

	@Test
	@DisplayName("Leases that are lost by the shutdown are published before the context is closed")
	void shutdown() {
		// A machine that stands still for the time that listeners have to end proves
		// nothing.
		Recording listener = shutDown();
		for (int i = 0; listener.losses.size() < 10 && listener.closing.compareTo(GRACE) > 0 && i < 10; i++) {
			listener = shutDown();
		}
		assertThat(listener.losses).hasSize(10);
	}

	/** Closes a context whose registry holds ten locks. */
	private Recording shutDown() {
		AtomicReference<Recording> listener = new AtomicReference<>();
		AtomicLong begin = new AtomicLong();
		this.runner.withUserConfiguration(Recording.class).run((context) -> {
			listener.set(context.getBean(Recording.class));
			for (int i = 0; i < 10; i++) {
				context.getBean(LockRegistry.class).acquire(LockKey.of("held:" + i), OPTIONS);
			}
			begin.set(System.nanoTime());
		});
		listener.get().closing = Duration.ofNanos(System.nanoTime() - begin.get());
		return listener.get();
	}

	private static void lose(ApplicationContext context, String lock) {
		Lease lease = context.getBean(LockRegistry.class).acquire(LockKey.of(lock), OPTIONS);
		context.getBean(LockInspector.class).forceRelease(lease.key(), lease.fencingToken());
	}

	@Test
	@DisplayName("At shutdown, a listener of conflicts that blocks is interrupted")
	void interrupted() {
		BlockingOfConflicts[] listener = new BlockingOfConflicts[1];
		this.runner.withUserConfiguration(BlockingOfConflicts.class, Reports.class).run((context) -> {
			listener[0] = context.getBean(BlockingOfConflicts.class);
			Reports reports = context.getBean(Reports.class);
			context.getBean(LockRegistry.class).acquire(LockKey.of("report:1"), OPTIONS);
			assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> reports.make("1"));
			Awaitility.await().atMost(SOON).until(() -> listener[0].conflicts.size() == 1);
		});
		Awaitility.await().atMost(SOON).until(() -> listener[0].interrupted.getCount() == 0);
	}

	@Test
	@DisplayName("With a LockRegistry of the application, a conflict is published too")
	void ownRegistry() {
		this.runner.withUserConfiguration(OwnRegistry.class, Recording.class, Reports.class).run((context) -> {
			assertThatExceptionOfType(LockConflictException.class)
				.isThrownBy(() -> context.getBean(Reports.class).make("1"));
			Recording listener = context.getBean(Recording.class);
			Awaitility.await().atMost(SOON).until(() -> listener.conflicts.size() == 1);
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class TwoProcessors {

		@Bean
		EngineRuntime runtime() {
			return new ThreadedRuntime(2, 256);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnRegistry {

		@Bean
		LockRegistry locks() {
			LockRegistry locks = Mockito.mock();
			Mockito.when(locks.acquire(ArgumentMatchers.any(), ArgumentMatchers.any())).thenAnswer((call) -> {
				throw new LockConflictException(call.getArgument(0), OPTIONS, Duration.ZERO);
			});
			return locks;
		}

	}

	static class Reports {

		@ExclusiveRequest(name = "report", key = "#number")
		public void make(String number) {
		}

	}

	static class Recording {

		final List<LeaseLostEvent> losses = new CopyOnWriteArrayList<>();

		final List<LockConflictEvent> conflicts = new CopyOnWriteArrayList<>();

		/** The time that the shutdown has taken. */
		volatile Duration closing = Duration.ZERO;

		@EventListener
		void lost(LeaseLostEvent event) {
			this.losses.add(event);
		}

		@EventListener
		void rejected(LockConflictEvent event) {
			this.conflicts.add(event);
		}

	}

	static class Blocking {

		final List<LeaseLostEvent> losses = new CopyOnWriteArrayList<>();

		final List<LockConflictEvent> conflicts = new CopyOnWriteArrayList<>();

		final CountDownLatch goOn = new CountDownLatch(1);

		@EventListener
		void lost(LeaseLostEvent event) throws InterruptedException {
			this.losses.add(event);
			this.goOn.await();
		}

		@EventListener
		void rejected(LockConflictEvent event) {
			this.conflicts.add(event);
		}

	}

	static class BlockingOfConflicts {

		final List<LeaseLostEvent> losses = new CopyOnWriteArrayList<>();

		final List<LockConflictEvent> conflicts = new CopyOnWriteArrayList<>();

		final CountDownLatch goOn = new CountDownLatch(1);

		final CountDownLatch interrupted = new CountDownLatch(1);

		@EventListener
		void lost(LeaseLostEvent event) {
			this.losses.add(event);
		}

		@EventListener
		void rejected(LockConflictEvent event) {
			this.conflicts.add(event);
			try {
				this.goOn.await(10, TimeUnit.MINUTES);
			}
			catch (InterruptedException ex) {
				this.interrupted.countDown();
			}
		}

	}

	static class Failing {

		final List<LeaseLostEvent> losses = new CopyOnWriteArrayList<>();

		@EventListener
		void lost(LeaseLostEvent event) {
			this.losses.add(event);
			throw new NoClassDefFoundError("a class that is missing");
		}

	}

	static class Ordered {

		final List<String> calls = new CopyOnWriteArrayList<>();

		final List<Thread> threads = new CopyOnWriteArrayList<>();

		@EventListener
		@Order(2)
		void second(LeaseLostEvent event) {
			this.calls.add("second");
			this.threads.add(Thread.currentThread());
		}

		@EventListener
		@Order(1)
		void first(LeaseLostEvent event) {
			this.calls.add("first");
			this.threads.add(Thread.currentThread());
		}

	}

}
