package io.github.lockstarter.plain;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

import com.zaxxer.hikari.HikariConfig;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.store.jdbc.JdbcLockStore;
import io.github.lockstarter.store.jdbc.JdbcLockStoreSettings;
import io.github.lockstarter.testing.DocumentedCode;
import io.github.lockstarter.testing.LocalPostgreSql;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The example with a database of {@code docs/without-spring-boot.md}.
 */
class WithoutSpringBootPageTests {

	private static final Path PAGE = Path.of("..", "docs", "without-spring-boot.md");

	private static final Path SOURCE = Path.of("src", "test", "java", "io", "github", "lockstarter", "plain",
			"DatabaseLocks.java");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(10));

	@Test
	@DisplayName("The code on the page is the tested code")
	void isTested() throws IOException {
		assertThat(DocumentedCode.blocks(PAGE)).contains(DocumentedCode.source(SOURCE, "class DatabaseLocks "));
	}

	@Test
	@DisplayName("One of two processes has a lock at a time")
	void excludes() {
		String url = LocalPostgreSql.shared().url();
		createTables(url);
		LockKey key = new LockKey("registration", "ann");
		try (DatabaseLocks one = new DatabaseLocks(url, "postgres", "");
				DatabaseLocks other = new DatabaseLocks(url, "postgres", "")) {
			try (Lease lease = one.registry().acquire(key, OPTIONS)) {
				assertThat(lease.isHeld()).isTrue();
				assertThat(other.registry().tryAcquire(key, OPTIONS)).isEmpty();
			}
			assertThat(other.registry().tryAcquire(key, OPTIONS)).hasValueSatisfying(Lease::close);
		}
	}

	private static void createTables(String url) {
		HikariConfig database = new HikariConfig();
		database.setJdbcUrl(url);
		JdbcLockStore store = new JdbcLockStore(JdbcLockStoreSettings.of(database)
			.withConnections(2)
			.withCreateTables(true)
			.withCommandTimeout(Duration.ofSeconds(30)));
		store.afterPropertiesSet();
		store.destroy();
	}

}
