package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import io.github.lockstarter.IdempotencyRegistry;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.ResultUnavailableException;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.actuate.LockStoreHealthIndicator;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.TokenStoredLock;
import io.github.lockstarter.store.jdbc.JdbcLockStore;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Which stores are created for {@code lock.names.*.store}, and what is wrong with a value
 * of it.
 */
@ExtendWith(OutputCaptureExtension.class)
class StorePerLockTests {

	private final String url = "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID());

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory", "lock.jdbc.command-timeout=30s", "spring.datasource.url=" + this.url);

	private final ApplicationContextRunner both = this.runner.withPropertyValues("lock.names.payment.store=jdbc");

	private final ApplicationContextRunner withoutDataSource = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory", "lock.names.payment.store=jdbc");

	@Test
	@DisplayName("A lock is in the store that its name chooses, and all others are in the default one")
	void chosen() {
		this.both.run((context) -> {
			LockStores stores = context.getBean(LockStores.class);
			assertThat(stores.of("payment")).isInstanceOf(JdbcLockStore.class);
			assertThat(stores.of("registration")).isInstanceOf(MemoryLockStore.class);
			assertThat(stores.byName()).containsOnlyKeys("memory", "jdbc");
			LockRegistry locks = context.getBean(LockRegistry.class);
			try (var payment = locks.acquire("payment:1"); var registration = locks.acquire("registration:1")) {
				assertThat(remaining(stores.byName().get("jdbc"), payment.key())).isTrue();
				assertThat(remaining(stores.byName().get("memory"), payment.key())).isFalse();
				assertThat(remaining(stores.byName().get("memory"), registration.key())).isTrue();
				assertThat(remaining(stores.byName().get("jdbc"), registration.key())).isFalse();
			}
		});
	}

	private static boolean remaining(LockStore store, LockKey key) {
		return ((TokenStoredLock) store.lock(key)).remaining().toCompletableFuture().join().isPresent();
	}

	@Test
	@DisplayName("The default store remains the only one that can be injected")
	void injected() {
		this.both.withBean(Injected.class).run((context) -> {
			Injected injected = context.getBean(Injected.class);
			assertThat(injected.store).isInstanceOf(MemoryLockStore.class);
			assertThat(injected.all).containsExactly(injected.store);
			assertThat(injected.provider.stream()).containsExactly(injected.store);
			assertThat(context.getBean(LockStore.class)).isSameAs(injected.store);
			assertThat(context.getBeanProvider(LockStore.class).getObject()).isSameAs(injected.store);
		});
	}

	@Test
	@DisplayName("A store that no name chooses is not created, and neither is a second one of the default kind")
	void onlyWhatIsUsed() {
		this.runner.withPropertyValues("lock.names.payment.store=memory", "lock.names.other.ttl=5s").run((context) -> {
			assertThat(context.getBeansOfType(LockStore.class)).containsOnlyKeys("exclusiveRequestMemoryLockStore");
			assertThat(context.getBean(LockStores.class).areSeveral()).isFalse();
		});
	}

	@ParameterizedTest
	@CsvSource({ "redis, RedisLockStore", "jdbc, JdbcLockStore", "memcached, MemcachedLockStore" })
	@DisplayName("A name can choose any store, which is closed with the application")
	void anyStore(String store, String type) {
		AtomicReference<LockStore> created = new AtomicReference<>();
		this.runner
			.withPropertyValues("lock.names.payment.store=" + store, "spring.data.redis.port=1",
					"lock.memcached.servers=127.0.0.1:1")
			.run((context) -> {
				created.set(context.getBean(LockStores.class).of("payment"));
				assertThat(created.get().getClass().getSimpleName()).isEqualTo(type);
				assertThat(context.getBean(LockStores.class).byName()).containsOnlyKeys("memory", store);
			});
		assertThatException().as("after the end")
			.isThrownBy(() -> remaining(created.get(), new LockKey("payment", "1")));
	}

	@Test
	@DisplayName("Two names with the same store share it")
	void shared() {
		this.both.withPropertyValues("lock.names.refund.store=jdbc").run((context) -> {
			LockStores stores = context.getBean(LockStores.class);
			assertThat(stores.of("refund")).isSameAs(stores.of("payment")).isInstanceOf(JdbcLockStore.class);
			assertThat(context.getBeansOfType(LockStore.class)).hasSize(2);
		});
	}

	@Test
	@DisplayName("A store of the application is the default one, and a name can choose any built-in one")
	void ownStore() {
		MemoryLockStore own = new MemoryLockStore();
		this.both.withPropertyValues("lock.names.cheap.store=memory")
			.withBean("own", LockStore.class, () -> own)
			.run((context) -> {
				LockStores stores = context.getBean(LockStores.class);
				assertThat(stores.byName()).containsOnlyKeys("own", "jdbc", "memory");
				assertThat(stores.of("registration")).isSameAs(own).isSameAs(context.getBean(LockStore.class));
				assertThat(stores.of("payment")).isInstanceOf(JdbcLockStore.class);
				assertThat(stores.of("cheap")).isInstanceOf(MemoryLockStore.class).isNotSameAs(own);
			});
	}

	@ParameterizedTest
	@CsvSource({ "LOCK_NAMES_PAYMENT_STORE, payment", "LOCK_NAMES_CARD_PAYMENT_STORE, card-payment",
			"LOCK_NAMES_CARD_PAYMENT_STORE, card.payment", "LOCK_NAMES_CARDPAYMENT_STORE, cardPayment",
			"LOCK_NAMES_ORDER_ITEM_1_STORE, order.item[1]" })
	@DisplayName("An environment variable chooses the store of a lock, whatever its name looks like")
	void variable(String variable, String lockName) {
		this.runner.withInitializer((context) -> {
			var sources = context.getEnvironment().getPropertySources();
			sources.replace("systemEnvironment",
					new SystemEnvironmentPropertySource("systemEnvironment", Map.of(variable, "jdbc")));
		}).run((context) -> {
			assertThat(context.getBean(LockStores.class).of(lockName)).isInstanceOf(JdbcLockStore.class);
			assertThat(context.getBean(LockStores.class).of("other")).isInstanceOf(MemoryLockStore.class);
		});
	}

	@Test
	@DisplayName("An environment variable also chooses the store of a lock that a file names exactly, without a store")
	void variableBesideFile() {
		this.runner.withPropertyValues("lock.names[card.payment].ttl=5s").withInitializer((context) -> {
			var sources = context.getEnvironment().getPropertySources();
			sources.replace("systemEnvironment", new SystemEnvironmentPropertySource("systemEnvironment",
					Map.of("LOCK_NAMES_CARD_PAYMENT_STORE", "jdbc")));
		})
			.run((context) -> assertThat(context.getBean(LockStores.class).of("card.payment"))
				.isInstanceOf(JdbcLockStore.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "card-payment", "[card.payment]", "[Card Payment]", "cardPayment" })
	@DisplayName("A property chooses the store of a lock, whatever its name looks like")
	void names(String name) {
		this.runner.withPropertyValues("lock.names." + name + ".store= jdbc ").run((context) -> {
			String lockName = name.replace("[", "").replace("]", "");
			assertThat(context.getBean(LockStores.class).of(lockName)).isInstanceOf(JdbcLockStore.class);
		});
	}

	@Test
	@DisplayName("An empty value is the default store")
	void empty() {
		this.runner.withPropertyValues("lock.names.payment.store=")
			.run((context) -> assertThat(context.getBeansOfType(LockStore.class)).hasSize(1));
	}

	@Test
	@DisplayName("Locks of a disabled name keep their store, because code still acquires them")
	void disabled() {
		this.both.withPropertyValues("lock.names.payment.enabled=false")
			.run((context) -> assertThat(context.getBean(LockStores.class).of("payment"))
				.isInstanceOf(JdbcLockStore.class));
	}

	@Test
	@DisplayName("A store whose driver is missing prevents startup, and the message names the property and the dependency")
	void noDriver() {
		this.runner.withPropertyValues("lock.names.payment.store=memcached")
			.withClassLoader(new FilteredClassLoader("com.spotify.folsom"))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(LockConfigurationException.class, (ex) -> {
					assertThat(ex)
						.hasMessage("lock.names.payment.store is memcached, but that store is not on the class path.");
					assertThat(ex.getAction())
						.contains("dependency io.github.lockstarter:lock-spring-boot-starter-memcached");
				}));
	}

	@Test
	@DisplayName("The missing driver of the default store prevents startup, also if names choose other stores")
	void noDefaultDriver() {
		this.both.withPropertyValues("lock.store=memcached")
			.withClassLoader(new FilteredClassLoader("com.spotify.folsom"))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessage("lock.store is memcached, but that store is not on the class path."));
	}

	@Test
	@DisplayName("A database without a DataSource or a URL prevents startup, and the message names the property")
	void noDatabase() {
		this.withoutDataSource.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(LockConfigurationException.class)
			.hasMessageStartingWith("lock.names.payment.store is jdbc, but the application has no DataSource"));
	}

	@Test
	@DisplayName("A name of no lock is reported, as for the other properties of a lock")
	void unknownName(CapturedOutput output) {
		this.both.withBean(Sharing.class)
			.run((context) -> assertThat(output)
				.contains("lock.names.payment: no @ExclusiveRequest of a bean created so far has that name"));
	}

	@Test
	@DisplayName("Whether results can be kept is decided by the store of the lock that shares them")
	void sharing() {
		ApplicationContextRunner sharing = this.runner.withBean(Sharing.class)
			.withPropertyValues("lock.memcached.servers=127.0.0.1:1");
		sharing.withPropertyValues("lock.store=memcached", "lock.names.shared.store=jdbc")
			.run((context) -> assertThat(context).hasNotFailed());
		sharing.withPropertyValues("lock.names.shared.store=memcached")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(LockConfigurationException.class, (ex) -> {
					assertThat(ex).hasMessageContainingAll("MemcachedLockStore", "lock 'shared'");
					assertThat(ex.getAction()).contains("lock.names.shared.store");
				}));
	}

	@Test
	@DisplayName("The largest result is that of the store of the lock")
	void largestResult() {
		MemoryLockStore memory = new MemoryLockStore();
		LockStore small = new LockStore() {

			@Override
			public StoredLock lock(LockKey key) {
				return memory.lock(key);
			}

			@Override
			public Set<Capability> capabilities() {
				return Set.of(Capability.KEEPS_RESULTS, Capability.LOCAL);
			}

			@Override
			public long maxResultSize() {
				return 100;
			}

		};
		String large = "x".repeat(200);
		this.both.withBean(LockStore.class, () -> small).run((context) -> {
			IdempotencyRegistry work = context.getBean(IdempotencyRegistry.class);
			LockKey payment = new LockKey("payment", "large");
			assertThat(work.work(payment, String.class).call(() -> large)).isEqualTo(large);
			assertThat(work.work(payment, String.class).call(() -> "again")).isEqualTo(large);
			LockKey other = new LockKey("other", "large");
			assertThat(work.work(other, String.class).call(() -> large)).isEqualTo(large);
			assertThatExceptionOfType(ResultUnavailableException.class)
				.isThrownBy(() -> work.work(other, String.class).call(() -> "again"));
		});
	}

	@Test
	@DisplayName("Whether idempotent work and locks held by tokens are possible is decided by the store of the lock")
	void inCode() {
		LockStore weak = (key) -> new MemoryLockStore().lock(key);
		this.both.withBean(LockStore.class, () -> weak).run((context) -> {
			IdempotencyRegistry work = context.getBean(IdempotencyRegistry.class);
			assertThat(work.work(new LockKey("payment", "1"), String.class).call(() -> "paid")).isEqualTo("paid");
			assertThatExceptionOfType(LockConfigurationException.class)
				.isThrownBy(() -> work.work(new LockKey("weak", "1"), String.class));
			TokenLocks tokens = context.getBean(TokenLocks.class);
			LockOptions options = LockOptions.of(Duration.ofSeconds(10));
			assertThat(tokens.acquireAsync(new LockKey("payment", "2"), options).toCompletableFuture())
				.succeedsWithin(Duration.ofSeconds(30));
			assertThatExceptionOfType(LockConfigurationException.class)
				.isThrownBy(() -> tokens.acquireAsync(new LockKey("weak", "2"), options));
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			memory    | memcached | lock.names.payment.ttl=31d  | lock.names.payment.ttl
			memory    | memcached | lock.ttl=31d                | lock.ttl
			memcached | memory    | lock.ttl=31d                | lock.ttl
			memcached | memory    | lock.names.payment.ttl=31d  |
			memory    | memcached | lock.names.other.ttl=31d    |
			""")
	@DisplayName("A time to live is checked by the store of the lock")
	void longestTtl(String defaultStore, String named, String property, String invalid) {
		this.runner
			.withPropertyValues("lock.store=" + defaultStore, "lock.names.payment.store=" + named,
					"lock.memcached.servers=127.0.0.1:1", property)
			.run((context) -> {
				if (invalid == null) {
					assertThat(context).hasNotFailed();
				}
				else {
					assertThat(context).getFailure()
						.rootCause()
						.hasMessageContainingAll(invalid + " ", "less than 30 days");
				}
			});
	}

	@Test
	@DisplayName("Health has a component for each store, and with one store it is the same as before")
	void health() {
		this.both.run((context) -> assertThat(context.getBean("lockStoreHealthIndicator", HealthContributor.class))
			.isInstanceOfSatisfying(CompositeHealthContributor.class,
					(health) -> assertThat(health.stream()).extracting(CompositeHealthContributor.Entry::name)
						.containsExactly("memory", "jdbc")));
		this.runner.run((context) -> assertThat(context.getBean("lockStoreHealthIndicator"))
			.isInstanceOf(LockStoreHealthIndicator.class));
	}

	@Test
	@DisplayName("Metrics name the store of a lock")
	void storeNames() {
		this.both.run((context) -> {
			LockInspector inspector = context.getBean(LockInspector.class);
			assertThat(inspector.storeName("payment")).isEqualTo("jdbc");
			assertThat(inspector.storeName("registration")).isEqualTo("memory");
		});
		this.runner.run(
				(context) -> assertThat(context.getBean(LockInspector.class).storeName("payment")).isEqualTo("memory"));
		this.runner.withBean(LockStore.class, MemoryLockStore::new)
			.run((context) -> assertThat(context.getBean(LockInspector.class).storeName("payment")).isEqualTo("own"));
	}

	@Test
	@DisplayName("A registry of the application gets no store")
	void ownRegistry() {
		LockRegistry own = Mockito.mock();
		this.both.withBean(LockRegistry.class, () -> own)
			.run((context) -> assertThat(context).doesNotHaveBean(LockStore.class).doesNotHaveBean(LockStores.class));
	}

	@Nested
	@SpringBootTest(classes = LockAutoConfiguration.class,
			properties = { "lock.store=memcached", "lock.names.payment.store=memory" })
	class Mocked {

		@MockitoBean
		private LockStore mock;

		@Autowired
		private LockStores stores;

		@Test
		@DisplayName("The mock of a store in a test takes the place of the default one")
		void replacesTheDefault() {
			assertThat(this.stores.of("any")).isSameAs(this.mock);
			assertThat(this.stores.of("payment")).isInstanceOf(MemoryLockStore.class);
		}

	}

	static class Sharing {

		@ExclusiveRequest(name = "shared", key = "#key", onConflict = OnConflict.SHARE)
		public String call(String key) {
			return key;
		}

	}

	static class Injected {

		final LockStore store;

		final List<LockStore> all;

		final ObjectProvider<LockStore> provider;

		Injected(LockStore store, List<LockStore> all, ObjectProvider<LockStore> provider) {
			this.store = store;
			this.all = all;
			this.provider = provider;
		}

	}

}
