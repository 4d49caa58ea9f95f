package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

class AsyncLogTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private final Logger logger = (Logger) LoggerFactory.getLogger(AsyncLogTests.class);

	private final BlockingAppender appender = new BlockingAppender();

	@BeforeEach
	void append() {
		this.appender.start();
		this.logger.addAppender(this.appender);
	}

	@AfterEach
	void goOn() {
		this.appender.blocked.countDown();
		this.logger.detachAppender(this.appender);
	}

	@Test
	@DisplayName("A blocking log appender blocks no caller; when it resumes, entries follow in order, and some are dropped")
	void blocks() {
		AsyncLog log = new AsyncLog(AsyncLogTests.class);
		CompletableFuture<?> logged = CompletableFuture.runAsync(() -> {
			for (int i = 0; i < 1000; i++) {
				log.warn("entry " + i);
			}
		}, ConnectingThreads.named("caller"));
		assertThat(logged).succeedsWithin(SOON);
		assertThat(this.appender.messages).isEmpty();
		this.appender.blocked.countDown();
		Awaitility.await().until(() -> this.appender.messages.size() >= 100);
		assertThat(this.appender.messages).startsWith("entry 0", "entry 1", "entry 2").doesNotContain("entry 999");
	}

	private static final class BlockingAppender extends AppenderBase<ILoggingEvent> {

		private final CountDownLatch blocked = new CountDownLatch(1);

		private final List<String> messages = new CopyOnWriteArrayList<>();

		@Override
		protected void append(ILoggingEvent event) {
			try {
				this.blocked.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			this.messages.add(event.getFormattedMessage());
		}

	}

}
