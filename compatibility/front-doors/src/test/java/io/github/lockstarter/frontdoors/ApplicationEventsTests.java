package io.github.lockstarter.frontdoors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.EventPublication.Status;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.modulith.events.core.EventPublicationRepository;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.registry.LockInspector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locks on listeners of application events, with the event publication registry of Spring
 * Modulith.
 */
@SpringBootTest(classes = ApplicationEventsTests.EventsApplication.class, webEnvironment = WebEnvironment.NONE,
		properties = { "doors.events=", "spring.modulith.events.jdbc.schema-initialization.enabled=true" })
class ApplicationEventsTests {

	@Autowired
	private Work work;

	@Autowired
	private Listeners listeners;

	@Autowired
	private EventPublicationRepository publications;

	@Autowired
	private IncompleteEventPublications incomplete;

	@Autowired
	private PlatformTransactionManager transactions;

	@Autowired
	private ApplicationEventPublisher events;

	@AfterEach
	void reset() {
		await().until(() -> this.publications.findIncompletePublications().isEmpty());
		this.work.reset();
	}

	@Test
	@DisplayName("Of two events at once one is handled, and the other one when it is submitted again")
	void oneRuns() {
		publish(new Ordered("42", 1));
		this.work.awaitBegun();
		publish(new Ordered("42", 2));
		await().until(() -> this.publications.findByStatus(Status.FAILED).size() == 1);
		this.work.end();
		await().until(() -> this.publications.findIncompletePublications().size() == 1);
		this.work.end();
		this.incomplete.resubmitIncompletePublications((publication) -> true);
		await().until(() -> this.publications.findIncompletePublications().isEmpty());
		assertThat(this.work.runs()).isEqualTo(2);
		assertThat(this.work.mostInside()).isEqualTo(1);
	}

	@Test
	@DisplayName("The lock is held until the transaction of the listener has been committed")
	void outsideOfTheTransaction() {
		this.work.end();
		publish(new Ordered("42", 1));
		await().until(this.listeners::heldAtCommit);
	}

	@Test
	@DisplayName("With SKIP, the other event is completed without being handled")
	void skips() {
		publish(new Skipped("42", 1));
		this.work.awaitBegun();
		publish(new Skipped("42", 2));
		await().until(() -> this.publications.findIncompletePublications().size() == 1);
		this.work.end();
		await().until(() -> this.publications.findIncompletePublications().isEmpty());
		assertThat(this.work.runs()).isEqualTo(1);
	}

	private void publish(Object event) {
		new TransactionTemplate(this.transactions).executeWithoutResult((status) -> this.events.publishEvent(event));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableAsync
	@Import(Listeners.class)
	static class EventsApplication {

		@Bean
		Work work() {
			return new Work();
		}

	}

	record Ordered(String id, int number) {

	}

	record Skipped(String id, int number) {

	}

	static class Listeners {

		private final Work work;

		private final LockInspector locks;

		private volatile boolean heldAtCommit;

		Listeners(Work work, LockInspector locks) {
			this.work = work;
			this.locks = locks;
		}

		public boolean heldAtCommit() {
			return this.heldAtCommit;
		}

		@ApplicationModuleListener
		@ExclusiveRequest(name = "order", key = "#event.id()")
		public void on(Ordered event) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					Listeners.this.heldAtCommit = Listeners.this.locks.held("order") == 1;
				}

			});
			this.work.run();
		}

		@ApplicationModuleListener
		@ExclusiveRequest(name = "order", key = "#event.id()", onConflict = OnConflict.SKIP)
		public void on(Skipped event) {
			this.work.run();
		}

	}

}
