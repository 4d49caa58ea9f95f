package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.autoconfigure.LockProperties.Store;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReleaseNotifications;
import io.github.lockstarter.store.ResultStore;
import io.github.lockstarter.store.dynamodb.DynamoDbLockStore;
import io.github.lockstarter.store.memcached.MemcachedLockStore;
import io.github.lockstarter.store.memory.MemoryLockStore;
import io.github.lockstarter.store.redis.RedisLockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table of the stores. What it says of exclusion, owners, tokens and times is shown
 * by the contract and the faults of each store.
 */
class StoresInReadmeTests {

	private static final Path README = Path.of("..", "README.md");

	private static final Map<Store, Class<? extends LockStore>> STORES = Map.of(Store.REDIS, RedisLockStore.class,
			Store.MEMORY, MemoryLockStore.class, Store.MEMCACHED, MemcachedLockStore.class, Store.DYNAMODB,
			DynamoDbLockStore.class);

	@Test
	@DisplayName("It has every store, says who is told of releases and who shares answers, and the dependency to add")
	void capabilities() throws IOException {
		String readme = Files.readString(README);
		List<List<String>> table = table(readme);
		assertThat(STORES).containsOnlyKeys(Store.values()).allSatisfy((store, type) -> {
			Row row = row(table, store);
			assertThat(row.cell("who waits").startsWith("is told"))
				.isEqualTo(ReleaseNotifications.class.isAssignableFrom(type) || store == Store.MEMORY);
			assertThat(row.cell("[shares answers](docs/sharing.md)"))
				.isEqualTo(ResultStore.class.isAssignableFrom(type) ? "yes" : "no");
			assertThat(row.cell("owner checked")).isEqualTo("yes");
			assertThat(readme).contains(store.driver().split(" ")[0]);
		});
	}

	private static List<List<String>> table(String readme) {
		return readme.lines()
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
