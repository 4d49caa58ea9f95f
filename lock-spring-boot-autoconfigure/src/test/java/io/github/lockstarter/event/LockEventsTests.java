package io.github.lockstarter.event;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.read.ListAppender;
import ch.qos.logback.core.spi.FilterReply;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentMatchers;
import org.mockito.Mockito;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

import org.springframework.util.ClassUtils;

import io.github.lockstarter.LeaseLostEvent;
import io.github.lockstarter.LockConflictEvent;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockConflictException.ConflictReason;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockSkippedEvent;
import io.github.lockstarter.count.LockEventCounter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Publication of events to their listeners.
 */
class LockEventsTests {

	private static final LockKey KEY = LockKey.of("order:1");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(10));

	private final List<Object> heard = new CopyOnWriteArrayList<>();

	private final Logger logger = (Logger) LoggerFactory.getLogger(LockEvents.class);

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	private final LockEventCounter counts = new LockEventCounter();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	/** As the request does whose conflict it is. */
	@BeforeEach
	void countConflict() {
		this.counts.add(KEY.name(), Event.CONTENDED);
	}

	@BeforeEach
	void readLog() {
		this.log.list = new CopyOnWriteArrayList<>();
		this.log.start();
		this.logger.addAppender(this.log);
	}

	@AfterEach
	void endThreads() {
		this.threads.shutdownNow();
	}

	@AfterEach
	void leaveLog() {
		this.logger.detachAppender(this.log);
	}

	@Test
	@DisplayName("A rejection and a skip are published on another thread, with the lock and the reason or method")
	void published() {
		List<Thread> threads = new CopyOnWriteArrayList<>();
		try (LockEvents events = events((event) -> threads.add(Thread.currentThread()))) {
			events.rejected(KEY, conflict());
			events.rejected(KEY,
					new LockConflictException(KEY, OPTIONS.withWaitTime(Duration.ofMillis(1)), Duration.ZERO));
			events.rejected(KEY, new LockConflictException(KEY, ConflictReason.QUEUE_FULL, Duration.ZERO, null));
			events.skipped(KEY, nightly());
			Awaitility.await().until(() -> this.heard.size() == 4);
		}
		assertThat(this.heard).containsExactly(new LockConflictEvent(KEY, ConflictReason.HELD),
				new LockConflictEvent(KEY, ConflictReason.WAIT_TIMEOUT),
				new LockConflictEvent(KEY, ConflictReason.QUEUE_FULL),
				new LockSkippedEvent(KEY, Reports.class.getName() + ".nightly"));
		assertThat(threads).doesNotContain(Thread.currentThread());
	}

	@Test
	@DisplayName("An event without a listener is not submitted to the executor")
	void noListener() {
		Executor executor = Mockito.mock();
		try (LockEvents events = new LockEvents(this.heard::add, () -> executor, () -> this.counts)) {
			events.rejected(KEY, conflict());
			events.skipped(KEY, nightly());
			events.publish(true, false);
			events.skipped(KEY, nightly());
			events.publish(false, true);
			events.rejected(KEY, conflict());
			Mockito.verifyNoInteractions(executor);
			events.skipped(KEY, nightly());
			Mockito.verify(executor).execute(ArgumentMatchers.any());
		}
	}

	@Test
	@DisplayName("While a listener blocks, a bounded number of events is queued, the others are counted, and each outage logs one warning")
	void blockingListener() {
		CountDownLatch first = new CountDownLatch(1);
		CountDownLatch second = new CountDownLatch(1);
		try (LockEvents events = events((event) -> await((this.heard.size() == 1) ? first : second))) {
			events.rejected(KEY, conflict());
			Awaitility.await().until(() -> this.heard.size() == 1);
			reject(events, LockEvents.MAX_WAITING + 100);
			first.countDown();
			Awaitility.await().until(() -> this.heard.size() == 2);
			assertThat(this.heard).hasSize(2);
			second.countDown();
			Awaitility.await().until(() -> this.heard.size() == 1 + LockEvents.MAX_WAITING);
			Awaitility.await().until(() -> warnings().size() == 1);
		}
		assertThat(warnings()).singleElement().asString().contains("1000 events", "dropped");
		assertThat(this.counts.get(KEY.name(), Event.EVENT_DROPPED)).isEqualTo(100);
	}

	@Test
	@DisplayName("The first dropped event of a lock name is counted on another thread than that of the caller, because it registers meters")
	void droppedFirst() {
		LockKey other = LockKey.of("report:1");
		Queue<Thread> registering = new ConcurrentLinkedQueue<>();
		CountDownLatch goOn = new CountDownLatch(1);
		try (LockEvents events = events((event) -> await(goOn))) {
			reject(events, LockEvents.MAX_WAITING + 2);
			this.counts.onName((name) -> {
				if (name.equals(other.name())) {
					registering.add(Thread.currentThread());
				}
			});
			events.rejected(other, conflict());
			Awaitility.await().until(() -> this.counts.get(other.name(), Event.EVENT_DROPPED) == 1);
			goOn.countDown();
		}
		assertThat(registering).hasSize(1).doesNotContain(Thread.currentThread());
	}

	@Test
	@DisplayName("Events are published after a listener and the log have failed")
	void failingLog() {
		TurboFilter broken = new TurboFilter() {

			@Override
			public FilterReply decide(Marker marker, Logger logger, Level level, String format, Object[] params,
					Throwable failure) {
				if (logger == LockEventsTests.this.logger && failure != null) {
					throw new IllegalStateException("failed as asked");
				}
				return FilterReply.NEUTRAL;
			}

		};
		this.logger.getLoggerContext().addTurboFilter(broken);
		try (LockEvents events = events((event) -> {
			throw new IllegalStateException("failed as asked");
		})) {
			reject(events, 3);
			Awaitility.await().dontCatchUncaughtExceptions().until(() -> this.heard.size() == 3);
		}
		finally {
			this.logger.getLoggerContext().getTurboFilterList().remove(broken);
		}
	}

	@Test
	@DisplayName("After the listeners have caught up, the next outage is logged again")
	void nextOutage() {
		Queue<Runnable> tasks = new ArrayDeque<>();
		Executor executor = Mockito.mock();
		Mockito.doAnswer((call) -> tasks.add(call.getArgument(0))).when(executor).execute(ArgumentMatchers.any());
		try (LockEvents events = new LockEvents(this.heard::add, () -> executor, () -> this.counts)) {
			events.publish(true, true);
			for (int outage = 1; outage <= 2; outage++) {
				reject(events, LockEvents.MAX_WAITING + 2);
				assertThat(tasks).as("to deliver, and to log").hasSize(2);
				tasks.forEach(Runnable::run);
				tasks.clear();
				assertThat(this.heard).hasSize(outage * LockEvents.MAX_WAITING);
				assertThat(warnings()).hasSize(outage);
			}
		}
	}

	@Test
	@DisplayName("A listener that throws gets the next event, and its failure is logged once")
	void failingListener() {
		try (LockEvents events = events((event) -> {
			throw new AssertionError("on purpose");
		})) {
			reject(events, 3);
			Awaitility.await().until(() -> this.heard.size() == 3);
			assertThat(this.log.list).filteredOn((line) -> line.getLevel() == Level.ERROR).hasSize(1);
		}
	}

	@Test
	@DisplayName("If no thread can be started, the rejection is unaffected, and the event is published with the next one")
	void noThread() {
		Executor executor = Mockito.mock();
		Mockito.doThrow(new OutOfMemoryError("on purpose")).doAnswer((call) -> {
			call.<Runnable>getArgument(0).run();
			return null;
		}).when(executor).execute(ArgumentMatchers.any());
		try (LockEvents events = new LockEvents(this.heard::add, () -> executor, () -> this.counts)) {
			events.publish(true, true);
			events.rejected(KEY, conflict());
			assertThat(this.heard).isEmpty();
			events.rejected(KEY, conflict());
			assertThat(this.heard).hasSize(2);
		}
	}

	@Test
	@DisplayName("A lost lease is published to a listener although all others block")
	void lost() {
		CountDownLatch goOn = new CountDownLatch(1);
		LeaseLostEvent loss = new LeaseLostEvent(KEY, 1);
		try (LockEvents events = events((event) -> {
			if (event != loss) {
				await(goOn);
			}
		})) {
			reject(events, LockEvents.MAX_WAITING + 2);
			Awaitility.await().until(() -> this.heard.size() == 1);
			events.lost(loss);
			assertThat(this.heard).hasSize(2).endsWith(loss);
			goOn.countDown();
		}
	}

	@Test
	@DisplayName("At shutdown, queued rejections are dropped, and later ones are not published")
	void closed() {
		CountDownLatch goOn = new CountDownLatch(1);
		LockEvents events = events((event) -> await(goOn));
		reject(events, 3);
		Awaitility.await().until(() -> this.heard.size() == 1);
		events.close();
		goOn.countDown();
		events.rejected(KEY, conflict());
		this.threads.shutdown();
		Awaitility.await().until(this.threads::isTerminated);
		assertThat(this.heard).hasSize(1);
	}

	private LockEvents events(Consumer<Object> listener) {
		LockEvents events = new LockEvents((event) -> {
			this.heard.add(event);
			listener.accept(event);
		}, () -> this.threads, () -> this.counts);
		events.publish(true, true);
		return events;
	}

	private static void reject(LockEvents events, int times) {
		for (int i = 0; i < times; i++) {
			events.rejected(KEY, conflict());
		}
	}

	private List<String> warnings() {
		return this.log.list.stream()
			.filter((line) -> line.getLevel() == Level.WARN)
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

	private static LockConflictException conflict() {
		return new LockConflictException(KEY, OPTIONS, Duration.ZERO);
	}

	private static Method nightly() {
		return ClassUtils.getMethod(Reports.class, "nightly");
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static final class Reports {

		public void nightly() {
		}

	}

}
