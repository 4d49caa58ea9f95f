package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

import com.zaxxer.hikari.HikariConfig;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

import io.github.lockstarter.autoconfigure.LockProperties.Store;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.dynamodb.DynamoDbLockStore;
import io.github.lockstarter.store.jdbc.JdbcLockStore;
import io.github.lockstarter.store.jdbc.JdbcLockStoreSettings;
import io.github.lockstarter.store.memcached.MemcachedLockStore;
import io.github.lockstarter.store.memory.MemoryLockStore;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.connection.RedisConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * The table of the stores in {@code docs/reference/stores.md}. Exclusion, owners, tokens
 * and times are checked by the contract and fault tests of each store.
 */
class StoresPageTests {

	private static final Path PAGE = Path.of("..", "docs", "reference", "stores.md");

	@Test
	@DisplayName("The page has every store, whether it notifies waiters and shares responses, and the dependency to add")
	void capabilities() throws IOException {
		String page = Files.readString(PAGE);
		List<List<String>> table = table(page);
		assertThat(Store.values()).allSatisfy((store) -> {
			Row row = row(table, store);
			Set<Capability> capabilities = capabilities(store);
			assertThat(row.cell("waiters").startsWith("are notified"))
				.isEqualTo(capabilities.contains(Capability.NOTIFIES) || capabilities.contains(Capability.LOCAL));
			assertThat(row.cell("[shares responses](../sharing.md)"))
				.isEqualTo(capabilities.contains(Capability.KEEPS_RESULTS) ? "yes" : "no");
			assertThat(row.cell("owner checked")).isEqualTo("yes");
			assertThat(page).contains(store.dependency().split(" ")[0]);
		});
	}

	/** Returns the capabilities of a store, without a connection. */
	private static Set<Capability> capabilities(Store store) {
		Duration timeout = Duration.ofMillis(1);
		return switch (store) {
			case REDIS -> new RedisLockStore(mock(RedisConnections.class), "lock", timeout, 0).capabilities();
			case JDBC -> {
				HikariConfig database = new HikariConfig();
				database.setJdbcUrl("jdbc:postgresql://127.0.0.1:1/none");
				JdbcLockStore jdbc = new JdbcLockStore(
						JdbcLockStoreSettings.of(database).withConnections(2).withCommandTimeout(timeout));
				jdbc.destroy();
				yield jdbc.capabilities();
			}
			case MEMORY -> new MemoryLockStore().capabilities();
			case MEMCACHED -> {
				try (MemcachedLockStore memcached = new MemcachedLockStore(List.of("127.0.0.1:1"), "lock", timeout)) {
					yield memcached.capabilities();
				}
			}
			case DYNAMODB ->
				new DynamoDbLockStore(mock(DynamoDbAsyncClient.class), "locks", false, Duration.ZERO, timeout)
					.capabilities();
		};
	}

	private static List<List<String>> table(String page) {
		return page.lines()
			.dropWhile((line) -> !line.startsWith("| `lock.store` | excludes"))
			.takeWhile((line) -> line.startsWith("|"))
			.map((line) -> Arrays.stream(line.substring(1).split("\\|")).map(String::strip).toList())
			.toList();
	}

	private static Row row(List<List<String>> table, Store store) {
		return new Row(table.get(0),
				table.stream().filter((row) -> row.get(0).contains("`" + store + "`")).findFirst().orElseThrow());
	}

	private record Row(List<String> titles, List<String> cells) {

		String cell(String title) {
			return this.cells.get(this.titles.indexOf(title));
		}

	}

}
