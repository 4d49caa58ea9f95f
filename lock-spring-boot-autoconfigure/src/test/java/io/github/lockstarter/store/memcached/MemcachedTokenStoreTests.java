package io.github.lockstarter.store.memcached;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.TokenStoreContract;
import io.github.lockstarter.testing.LocalMemcached;

import static org.assertj.core.api.Assertions.assertThat;

class MemcachedTokenStoreTests extends TokenStoreContract {

	private static LocalMemcached server;

	private static MemcachedLockStore store;

	@BeforeAll
	static void start() {
		server = LocalMemcached.started();
		store = new MemcachedLockStore(List.of(server.address()), "contract", Duration.ofSeconds(5));
	}

	@AfterAll
	static void stop() {
		store.close();
		server.close();
	}

	@Override
	protected LockStore store() {
		return store;
	}

	@Test
	@DisplayName("Nobody knows for how long an item that is not a lock of ours holds the lock")
	void strangeItem() {
		server.ask("set contract:tokens:%s 0 10 1\r\nx".formatted(this.key.key()));
		assertThat(remaining()).hasValue(Duration.ZERO);
	}

}
