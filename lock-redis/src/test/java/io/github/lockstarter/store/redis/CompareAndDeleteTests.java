package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.GroupLockStore.Claim;
import io.github.lockstarter.store.StoredLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The server's own command to release a lock.
 */
class CompareAndDeleteTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final LockKey KEY = new LockKey("registration", "taro");

	private static final String LOCK = "lock:{153}:registration:taro";

	private final RedisClient client = RedisClient.create();

	private final List<RedisCommand<byte[], byte[], ?>> sent = new CopyOnWriteArrayList<>();

	@AfterEach
	void shutDown() {
		this.client.shutdown();
	}

	@ParameterizedTest
	@CsvSource({ "delex, DELEX %s IFEQ owner!", "delifeq, DELIFEQ %s owner!" })
	@DisplayName("A lock that nobody waits for is released by the command that the server has")
	void released(String has, String sent) {
		CompletionStage<Boolean> released = release(store(has));
		assertThat(words(0)).isEqualTo(sent.formatted(LOCK));
		DriverStub.answer(this.sent.get(0), 1);
		assertThat(released).isCompletedWithValue(true);
		assertThat(this.sent).hasSize(1);
	}

	@Test
	@DisplayName("If the command does not find the value, the script answers")
	void notFound() {
		CompletionStage<Boolean> released = release(store("delex"));
		DriverStub.answer(this.sent.get(0), 0);
		assertThat(words(1)).startsWith("EVALSHA " + Script.RELEASE.digest());
		assertThat(released).isNotDone();
		DriverStub.answer(this.sent.get(1), 1);
		assertThat(released).isCompletedWithValue(true);
	}

	@Test
	@DisplayName("A server without such a command gets the script")
	void none() {
		CompletionStage<Boolean> released = release(store(null));
		assertThat(words(0)).startsWith("EVALSHA " + Script.RELEASE.digest());
		DriverStub.answer(this.sent.get(0), 0);
		assertThat(released).isCompletedWithValue(false);
	}

	@ParameterizedTest
	@ValueSource(strings = { "NOPERM User app has no permissions to run the 'delex' command",
			"ERR unknown command 'DELEX', with args beginning with: " })
	@DisplayName("A server that refuses the command gets the script, and no such command again")
	void refused(String error) {
		RedisLockStore store = store("delex");
		CompletionStage<Boolean> released = release(store);
		DriverStub.refuse(this.sent.get(0), error);
		assertThat(words(1)).startsWith("EVALSHA " + Script.RELEASE.digest());
		DriverStub.answer(this.sent.get(1), 1);
		assertThat(released).isCompletedWithValue(true);
		release(store);
		assertThat(words(2)).startsWith("EVALSHA");
	}

	@Test
	@DisplayName("A server that does not permit one key gets the script, and the command for the next release")
	void otherRefusal() {
		RedisLockStore store = store("delex");
		release(store);
		DriverStub.refuse(this.sent.get(0), "NOPERM No permissions to access a key");
		assertThat(words(1)).startsWith("EVALSHA");
		release(store);
		assertThat(words(2)).startsWith("DELEX");
	}

	@ParameterizedTest
	@ValueSource(strings = { "LOADING Redis is loading the dataset in memory", "READONLY You can't write" })
	@DisplayName("After an error that may pass, the script follows later; the outcome is unknown if it finds no lock")
	void transientError(String error) {
		CompletionStage<Boolean> released = release(store("delex"));
		DriverStub.refuse(this.sent.get(0), error);
		Awaitility.await().until(() -> this.sent.size() == 2);
		assertThat(words(1)).startsWith("EVALSHA");
		DriverStub.answer(this.sent.get(1), 0);
		assertThat(released).isCompletedExceptionally();
	}

	@Test
	@DisplayName("After a failure of the connection, the script follows later")
	void lostConnection() {
		CompletionStage<Boolean> released = release(store("delex"));
		this.sent.get(0).completeExceptionally(new RedisException("connection lost"));
		Awaitility.await().until(() -> this.sent.size() == 2);
		assertThat(words(1)).startsWith("EVALSHA");
		DriverStub.answer(this.sent.get(1), 1);
		assertThat(released).isCompletedWithValue(true);
	}

	@Test
	@DisplayName("While eight releases are in flight, the ninth waits, until the script that follows a command is answered, too")
	void countsOnce() {
		RedisLockStore store = store("delex");
		for (int i = 0; i < 9; i++) {
			StoredLock lock = store.lock(new LockKey("registration", "user" + i));
			lock.acquire(AcquireCommand.of("owner", TTL));
			if (i < 8) {
				DriverStub.answer(this.sent.remove(this.sent.size() - 1), 7);
			}
			lock.release("owner", null);
		}
		assertThat(this.sent).hasSize(8);
		DriverStub.answer(this.sent.get(0), 0);
		assertThat(this.sent).hasSize(9);
		assertThat(words(8)).startsWith("EVALSHA " + Script.RELEASE.digest());
		DriverStub.answer(this.sent.get(8), 1);
		assertThat(words(9)).startsWith("EVALSHA " + Script.BATCH.digest());
	}

	@Test
	@DisplayName("A lock that was acquired together with others is released by the command")
	void together() {
		RedisLockStore store = store("delex");
		StoredLock first = store.lock(KEY);
		StoredLock second = store.lock(new LockKey("registration", "user"));
		store.acquireAll(List.of(new Claim(first, "owner", TTL), new Claim(second, "owner", TTL)));
		this.sent.clear();
		first.release("owner", null);
		second.release("owner", null);
		assertThat(words(0)).startsWith("DELEX");
		assertThat(words(1)).startsWith("DELEX");
	}

	@Test
	@DisplayName("A token that applications share is released by the script alone, because they may acquire the lock again meanwhile")
	void sharedToken() {
		StoredLock lock = store("delex").lock(KEY);
		lock.acquire(AcquireCommand.of("owner", TTL));
		lock.acquire(AcquireCommand.of("owner", TTL).forSharedToken());
		lock.release("owner", null);
		assertThat(words(2)).startsWith("EVALSHA " + Script.RELEASE.digest());
	}

	@Test
	@DisplayName("A token that was granted through another handle is released by the script alone")
	void otherHandle() {
		store("delex").lock(KEY).release("owner", null);
		assertThat(words(0)).startsWith("EVALSHA " + Script.RELEASE.digest());
	}

	@Test
	@DisplayName("A handle that was rejected before releases its lock by the script alone, because others probably wait")
	void metHolder() {
		StoredLock lock = store("delex").lock(KEY);
		lock.acquire(AcquireCommand.of("owner", TTL));
		DriverStub.answer(this.sent.get(0), -1000);
		lock.acquire(AcquireCommand.of("owner", TTL));
		DriverStub.answer(this.sent.get(1), 7);
		lock.release("owner", null);
		assertThat(words(2)).startsWith("EVALSHA " + Script.RELEASE.digest());
	}

	@Test
	@DisplayName("A grant that is undone is released by the script alone")
	void undone() {
		store("delex").lock(KEY).acquire(AcquireCommand.of("owner", TTL));
		this.sent.get(0).completeExceptionally(new RedisException("connection lost"));
		assertThat(words(1)).startsWith("EVALSHA " + Script.RELEASE.digest());
	}

	/** Acquires and releases the lock. Leaves out the command that acquires it. */
	private CompletionStage<Boolean> release(RedisLockStore store) {
		StoredLock lock = store.lock(KEY);
		lock.acquire(AcquireCommand.of("owner", TTL));
		DriverStub.answer(this.sent.remove(this.sent.size() - 1), 7);
		return lock.release("owner", null);
	}

	private RedisLockStore store(@Nullable String command) {
		RedisLockStore store = new RedisLockStore(
				DriverStub.connections(this.client, DriverStub.commands(this.sent::add, command)), "lock",
				Duration.ofMinutes(1), 0);
		store.connect().toCompletableFuture().join();
		return store;
	}

	/** Returns the arguments of a command that was sent. */
	private String words(int index) {
		ByteBuf buffer = Unpooled.buffer();
		this.sent.get(index).encode(buffer);
		return String.join(" ",
				Arrays.stream(buffer.toString(StandardCharsets.UTF_8).split("\r\n"))
					.filter((line) -> !line.startsWith("*") && !line.startsWith("$"))
					.toList());
	}

}
