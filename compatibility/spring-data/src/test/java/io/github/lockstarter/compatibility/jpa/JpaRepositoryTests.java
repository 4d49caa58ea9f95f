package io.github.lockstarter.compatibility.jpa;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.repository.CrudRepository;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.compatibility.Locks;
import io.github.lockstarter.compatibility.base.LockingBaseApplication;
import io.github.lockstarter.compatibility.misspelt.MisspeltApplication;
import io.github.lockstarter.key.LockKeyResolver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Named.named;

/**
 * Repositories of Spring Data JPA, with Hibernate.
 */
@SpringBootTest(classes = JpaRepositoryTests.Application.class,
		properties = { "lock.store=memory", "spring.jpa.hibernate.ddl-auto=create" },
		webEnvironment = SpringBootTest.WebEnvironment.NONE)
class JpaRepositoryTests {

	@Autowired
	private ApplicationContext context;

	@Autowired
	private OrderRepository injected;

	@AfterEach
	void letInsert() {
		Order.beforeInsert = () -> {
		};
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("An annotated method of a repository has its lock, wherever it is declared and implemented")
	void locked(String name, BiConsumer<OrderRepository, String> call) {
		for (OrderRepository orders : List.of(this.injected, this.context.getBean(OrderRepository.class))) {
			new Locks(this.context).assertLocked(name, (id) -> call.accept(orders, id));
		}
	}

	private static Stream<Object[]> locked() {
		return Stream.of(row("save", "save", (orders, id) -> orders.save(new Order(id))),
				row("save", "save, by CrudRepository", (orders, id) -> save(orders, new Order(id))),
				row("save-all", "saveAll", (orders, id) -> orders.saveAll(List.of(new Order(id)))),
				row("find-by-id", "findById", OrderRepository::findById),
				row("delete", "delete, by a generic base", (orders, id) -> orders.delete(new Order(id))),
				row("reload", "a default method of a generic base", OrderRepository::reload),
				row("find-by-state", "a derived query", OrderRepository::findByState),
				row("close", "a declared query in a transaction", OrderRepository::close),
				row("cancel", "a default method", OrderRepository::cancel),
				row("archive", "a fragment, annotated on its interface", OrderRepository::archive),
				row("restore", "a fragment, annotated on its implementation", OrderRepository::restore),
				row("resolved", "a key resolver", (orders, id) -> orders.findByStateAndId(id, "1")));
	}

	private static Object[] row(String name, String what, BiConsumer<OrderRepository, String> call) {
		return new Object[] { name, named(what, call) };
	}

	private static <T> void save(CrudRepository<T, String> repository, T entity) {
		repository.save(entity);
	}

	@Test
	@DisplayName("Of two calls for one key, one is inside, and the other is rejected; another key runs")
	void twoAtOnce() throws Exception {
		CountDownLatch inside = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		Order.beforeInsert = () -> {
			Order.beforeInsert = () -> {
			};
			inside.countDown();
			await(end);
		};
		CompletableFuture<Order> first = CompletableFuture.supplyAsync(() -> this.injected.save(new Order("two")));
		try {
			await(inside);
			assertThatExceptionOfType(LockConflictException.class)
				.isThrownBy(() -> this.injected.save(new Order("two")));
			assertThat(this.injected.save(new Order("three")).getId()).isEqualTo("three");
			assertThat(first).isNotDone();
		}
		finally {
			end.countDown();
		}
		assertThat(first.get(1, TimeUnit.MINUTES).getId()).isEqualTo("two");
		assertThat(this.injected.save(new Order("two")).getId()).isEqualTo("two");
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	@DisplayName("An annotation on a repository covers the methods that it declares, and not those of Spring Data")
	void type() {
		AnnotatedOrderRepository orders = this.context.getBean(AnnotatedOrderRepository.class);
		Locks locks = new Locks(this.context);
		locks.assertLocked("annotated", orders::findByState);
		locks.assertLocked("annotated", orders::count);
		assertThat(orders.existsById("none")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "default", "lazy", "deferred" })
	@DisplayName("A misspelt key of a repository prevents startup, whether or not another bean uses the repository")
	void misspelt(String bootstrap) {
		assertStopped("#sate", bootstrap, MisspeltApplication.class);
		assertStopped("#sate", bootstrap, MisspeltApplication.class, User.class);
	}

	@Test
	@DisplayName("An annotation on the base class of repositories, of which objects are no beans, prevents startup")
	void baseClass() {
		assertStopped("LockingBase.reload", "default", LockingBaseApplication.class, User.class);
	}

	private static void assertStopped(String message, String bootstrap, Class<?>... configurations) {
		new ApplicationContextRunner().withUserConfiguration(configurations)
			.withPropertyValues("lock.store=memory", "spring.datasource.generate-unique-name=true",
					"spring.jpa.hibernate.ddl-auto=none", "spring.data.jpa.repositories.bootstrap-mode=" + bootstrap)
			.run((context) -> assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
				.isInstanceOf(LockConfigurationException.class)
				.hasMessageContaining(message));
	}

	@Configuration(proxyBeanMethods = false)
	static class User {

		@Bean
		Object user(JpaRepository<Order, String> repository) {
			return new Object();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = R2dbcAutoConfiguration.class)
	static class Application {

		@Bean
		LockKeyResolver firstArgument() {
			return (call) -> call.getArgs()[0];
		}

	}

}
