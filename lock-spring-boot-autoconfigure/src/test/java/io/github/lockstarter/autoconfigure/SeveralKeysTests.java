package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.TooManyLockKeysException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.key.LockKeyResolver;
import io.github.lockstarter.registry.LockInspector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Timeout(120)
class SeveralKeysTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory")
		.withBean(Warehouse.class);

	@Test
	@DisplayName("A call acquires one lock for each distinct element")
	void oneForEach() {
		this.runner.run((context) -> {
			Warehouse warehouse = context.getBean(Warehouse.class);
			LockInspector inspector = context.getBean(LockInspector.class);
			warehouse.reserve(List.of("tea", "cup", "tea"), () -> {
				assertThat(inspector.snapshot()).extracting((lock) -> lock.key().key())
					.containsExactlyInAnyOrder("tea", "cup");
				return null;
			});
			warehouse.projected(List.of(new Item("tea"), new Item("cup")), () -> {
				assertThat(inspector.held("items")).isEqualTo(2);
				return null;
			});
			warehouse.array(new int[] { 1, 2, 3 }, () -> {
				assertThat(inspector.held("items")).isEqualTo(3);
				return null;
			});
			assertThat(inspector.snapshot()).isEmpty();
		});
	}

	@Test
	@DisplayName("A call gets all of its locks or none")
	void allOrNone() {
		this.runner.run((context) -> {
			Warehouse warehouse = context.getBean(Warehouse.class);
			LockRegistry locks = context.getBean(LockRegistry.class);
			try (Lease other = locks.acquire("items:tea")) {
				assertThat(other.isHeld()).isTrue();
				assertThatExceptionOfType(LockConflictException.class)
					.isThrownBy(() -> warehouse.reserve(List.of("cup", "tea", "pot"), () -> "ran"));
				assertThat(context.getBean(LockInspector.class).snapshot()).extracting((lock) -> lock.key().key())
					.containsExactly("tea");
			}
		});
	}

	@Test
	@DisplayName("Calls that wait for the same elements in different orders all run")
	void oneOrder() {
		this.runner.withPropertyValues("lock.names.items.wait=1m").run((context) -> {
			Warehouse warehouse = context.getBean(Warehouse.class);
			List<String> skus = Arrays.asList("a", "b", "c", "d", "e");
			List<CompletableFuture<String>> calls = IntStream.range(0, 40).mapToObj((i) -> {
				List<String> mine = Arrays.asList(skus.toArray(new String[0]));
				Collections.rotate(mine, i);
				return CompletableFuture.supplyAsync(() -> warehouse.reserve(mine, () -> "ran"),
						(task) -> new Thread(task).start());
			}).toList();
			assertThat(calls)
				.allSatisfy((call) -> assertThat(call).succeedsWithin(Duration.ofMinutes(1)).isEqualTo("ran"));
		});
	}

	@Test
	@DisplayName("Asynchronous calls hold their locks until their work ends, and then release all")
	void asynchronous() {
		this.runner.run((context) -> {
			Warehouse warehouse = context.getBean(Warehouse.class);
			LockInspector inspector = context.getBean(LockInspector.class);
			for (int i = 0; i < 300; i++) {
				assertThat(warehouse.count(List.of("tea", "cup"), inspector).block()).isEqualTo(2);
			}
			Awaitility.await().untilAsserted(() -> assertThat(inspector.snapshot()).isEmpty());
		});
	}

	@Test
	@DisplayName("A call that is cancelled while it waits leaves no lock and no waiter behind")
	void cancelled() {
		this.runner.withPropertyValues("lock.names.items.wait=10m").run((context) -> {
			Warehouse warehouse = context.getBean(Warehouse.class);
			LockInspector inspector = context.getBean(LockInspector.class);
			Lease other = context.getBean(LockRegistry.class).acquire("items:tea");
			Disposable reactive = warehouse.count(List.of("cup", "tea"), inspector).subscribe();
			CompletableFuture<String> stage = warehouse.later("tea");
			Awaitility.await().until(() -> inspector.waiters("items") == 2);
			reactive.dispose();
			stage.cancel(false);
			Awaitility.await()
				.untilAsserted(() -> assertThat(inspector.snapshot()).singleElement()
					.satisfies((lock) -> assertThat(lock.waiting()).isEmpty()));
			other.close();
			assertThat(inspector.snapshot()).isEmpty();
		});
	}

	@Test
	@DisplayName("An empty collection needs no lock; a missing collection or element gets status 400")
	void emptyAndMissing() {
		this.runner.run((context) -> {
			Warehouse warehouse = context.getBean(Warehouse.class);
			LockInspector inspector = context.getBean(LockInspector.class);
			assertThat(warehouse.reserve(List.of(), () -> inspector.snapshot().size())).isZero();
			assertThatExceptionOfType(MissingLockKeyException.class)
				.isThrownBy(() -> warehouse.reserve(null, () -> ""));
			assertThatExceptionOfType(MissingLockKeyException.class)
				.isThrownBy(() -> warehouse.reserve(Arrays.asList("tea", null), () -> ""));
			assertThatExceptionOfType(MissingLockKeyException.class)
				.isThrownBy(() -> warehouse.reserve(List.of("tea", " "), () -> ""));
			assertThat(inspector.snapshot()).isEmpty();
		});
	}

	@Test
	@DisplayName("More elements than lock.max-keys get status 400, and nothing is locked")
	void tooMany() {
		List<String> many = IntStream.range(0, 10_000).mapToObj(Integer::toString).toList();
		this.runner.run((context) -> {
			Warehouse warehouse = context.getBean(Warehouse.class);
			assertThatExceptionOfType(TooManyLockKeysException.class)
				.isThrownBy(() -> warehouse.reserve(many, () -> "ran"))
				.satisfies((ex) -> assertThat(ex.getStatusCode().value()).isEqualTo(400))
				.withMessageContaining("lock.max-keys");
			assertThat(warehouse.reserve(many.subList(0, 100), () -> "ran")).isEqualTo("ran");
			assertThat(warehouse.reserve(Collections.nCopies(10_000, "a"), () -> "ran")).isEqualTo("ran");
		});
		this.runner.withPropertyValues("lock.max-keys=10000")
			.run((context) -> assertThat(context.getBean(Warehouse.class).reserve(many, () -> "ran")).isEqualTo("ran"));
		this.runner.withPropertyValues("lock.max-keys=0")
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("1 to 10000"));
	}

	@Test
	@DisplayName("Elements can come from any Iterable; for other types, the call fails without running")
	void elements() {
		this.runner.run((context) -> {
			Warehouse warehouse = context.getBean(Warehouse.class);
			LockInspector inspector = context.getBean(LockInspector.class);
			Iterable<String> iterable = () -> List.of("tea", "cup").iterator();
			assertThat(warehouse.any(iterable, () -> inspector.held("items"))).isEqualTo(2);
			assertThat(warehouse.any(Optional.of(List.of("tea")), () -> inspector.held("items"))).isOne();
			assertThatIllegalStateException().isThrownBy(() -> warehouse.any("tea,cup", () -> "ran"))
				.withMessageContaining("not a collection or an array");
			assertThatIllegalStateException().isThrownBy(() -> warehouse.any(Map.of("tea", 1), () -> "ran"));
		});
	}

	@Test
	@DisplayName("A resolver bean computes the key from the arguments of the call")
	void resolver() {
		this.runner.withBean("tenantAndUser", LockKeyResolver.class,
				() -> (call) -> Objects.equals(call.getArgs()[0], "nobody") ? null
						: Set.of("tenant", call.getArgs()[0]))
			.withBean(Resolved.class)
			.run((context) -> {
				Resolved resolved = context.getBean(Resolved.class);
				LockInspector inspector = context.getBean(LockInspector.class);
				resolved.call("taro", () -> {
					assertThat(inspector.snapshot()).singleElement()
						.satisfies((lock) -> assertThat(lock.key().key()).startsWith(LockKey.DIGEST_PREFIX));
					return null;
				});
				assertThatExceptionOfType(MissingLockKeyException.class)
					.isThrownBy(() -> resolved.call("nobody", () -> ""));
			});
	}

	@Test
	@DisplayName("An unknown resolver, two sources of keys, or several keys with replay prevent startup")
	void failsStartup() {
		assertFailsStartup(Resolved.class, "There is no bean 'tenantAndUser' of type LockKeyResolver");
		assertFailsStartup(TwoSources.class, "Only one of key, keys and keyResolver");
		assertFailsStartup(Replaying.class, "can have only one lock");
		assertFailsStartup(OfText.class, "not a collection or an array: use key");
	}

	private <T> void assertFailsStartup(Class<T> bean, String message) {
		this.runner.withBean(bean)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockConfigurationException.class)
				.hasMessageContaining(message)
				.hasMessageContaining(bean.getSimpleName()));
	}

	record Item(String sku) {

	}

	static class Warehouse {

		@ExclusiveRequest(name = "items", keys = "#skus")
		public <T> T reserve(@Nullable List<String> skus, Callable<T> work) {
			try {
				return work.call();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

		@ExclusiveRequest(name = "items", keys = "#items.![sku]")
		public <T> T projected(List<Item> items, Callable<T> work) throws Exception {
			return work.call();
		}

		@ExclusiveRequest(name = "items", keys = "#skus")
		public Mono<Long> count(List<String> skus, LockInspector inspector) {
			return Mono.fromSupplier(() -> inspector.held("items"));
		}

		@ExclusiveRequest(name = "items", key = "#sku")
		public CompletableFuture<String> later(String sku) {
			return CompletableFuture.completedFuture(sku);
		}

		@ExclusiveRequest(name = "items", keys = "#any")
		public <T> T any(Object any, Callable<T> work) throws Exception {
			return work.call();
		}

		@ExclusiveRequest(name = "items", keys = "#numbers")
		public <T> T array(int[] numbers, Callable<T> work) throws Exception {
			return work.call();
		}

	}

	static class Resolved {

		@ExclusiveRequest(name = "resolved", keyResolver = "tenantAndUser")
		public <T> T call(String user, Callable<T> work) throws Exception {
			return work.call();
		}

	}

	static class TwoSources {

		@ExclusiveRequest(key = "#users", keys = "#users")
		public String call(List<String> users) {
			return "";
		}

	}

	static class OfText {

		@ExclusiveRequest(keys = "#user")
		public String call(String user) {
			return user;
		}

	}

	static class Replaying {

		@ExclusiveRequest(keys = "#users", replay = "1h")
		public String call(List<String> users) {
			return "";
		}

	}

}
