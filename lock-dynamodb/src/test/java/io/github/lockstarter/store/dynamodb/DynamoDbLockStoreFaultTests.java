package io.github.lockstarter.store.dynamodb;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.testing.LocalDynamoDb;
import io.github.lockstarter.testing.ScriptedDynamoDb;
import io.github.lockstarter.testing.ScriptedDynamoDb.Reply;
import io.github.lockstarter.store.test.TestResults;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("faults")
class DynamoDbLockStoreFaultTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	/** Additional time that a busy machine may need. */
	private static final Duration SOON = Duration.ofSeconds(30);

	private static final Duration TTL = Duration.ofMinutes(10);

	private static final ResultKey RESULT = new ResultKey("result", TTL, true);

	private static final Reply NOT_OWNED = ScriptedDynamoDb.error(400, "ConditionalCheckFailedException");

	private final LockKey key = new LockKey("fault", "taro");

	@ParameterizedTest
	@ValueSource(strings = { "ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded",
			"AccessDeniedException", "ResourceNotFoundException", "UnrecognizedClientException" })
	@DisplayName("An operation that DynamoDB refuses is a store failure, not a conflict, and needs no undo")
	void refused(String code) {
		try (ScriptedDynamoDb server = new ScriptedDynamoDb(ScriptedDynamoDb.error(400, code));
				DynamoDbAsyncClient client = LocalDynamoDb.newClient(server.endpoint(),
						AwsRetryStrategy.doNotRetry())) {
			DynamoDbLockStore store = store(client, SOON);
			assertBroken(store.lock(this.key).acquire(command("a")), code);
			assertBroken(store.lock(this.key).renew("a", TTL), code);
			assertThat(server.operations()).doesNotContain("UpdateItem to free");
			assertBroken(store.lock(this.key).release("a", null), code);
			assertBroken(store.lock(this.key).release("a", TestResults.stored(RESULT, "result")), code);
			assertBroken(store.lock(this.key).acquire(command("a").orResult(TestResults.query(RESULT, TTL))),
					"could not be read");
		}
	}

	@Test
	@DisplayName("While DynamoDB throttles, the driver's own retries last no longer than the timeout")
	void throttledForLong() {
		try (ScriptedDynamoDb server = new ScriptedDynamoDb(ScriptedDynamoDb.error(400, "ThrottlingException"));
				DynamoDbAsyncClient client = LocalDynamoDb.newClient(server.endpoint())) {
			assertBroken(store(client, Duration.ofMillis(100)).lock(this.key).acquire(command("a")), "");
		}
	}

	@Test
	@DisplayName("After a server error, a possible grant is undone")
	void serverError() {
		Reply failure = ScriptedDynamoDb.error(500, "InternalServerError");
		try (ScriptedDynamoDb server = new ScriptedDynamoDb(failure);
				DynamoDbAsyncClient client = LocalDynamoDb.newClient(server.endpoint())) {
			assertBroken(store(client, Duration.ofSeconds(20)).lock(this.key).acquire(command("a")),
					"InternalServerError");
			Awaitility.await().untilAsserted(() -> assertThat(server.operations()).contains("UpdateItem to free"));
		}
	}

	@Test
	@DisplayName("A grant whose answer exceeds the timeout is undone")
	void lostGrant() {
		try (ScriptedDynamoDb server = new ScriptedDynamoDb(ScriptedDynamoDb.NONE, NOT_OWNED);
				DynamoDbAsyncClient client = LocalDynamoDb.newClient(server.endpoint())) {
			assertBroken(store(client, TIMEOUT).lock(this.key).acquire(command("a")), "");
			Awaitility.await()
				.untilAsserted(
						() -> assertThat(server.operations()).containsSubsequence("UpdateItem", "UpdateItem to free"));
		}
	}

	@Test
	@DisplayName("The grant of a token is never undone, whatever happens to the answer")
	void lostGrantOfToken() {
		try (ScriptedDynamoDb server = new ScriptedDynamoDb(ScriptedDynamoDb.NONE,
				ScriptedDynamoDb.error(500, "InternalServerError"), NOT_OWNED);
				DynamoDbAsyncClient client = LocalDynamoDb.newClient(server.endpoint(),
						AwsRetryStrategy.doNotRetry())) {
			DynamoDbLockStore store = store(client, Duration.ofSeconds(3));
			assertBroken(store.lock(this.key).acquire(command("token").forSharedToken()), "");
			assertBroken(store.lock(this.key).acquire(command("token").forSharedToken()), "InternalServerError");
			Awaitility.await()
				.during(Duration.ofSeconds(1))
				.untilAsserted(() -> assertThat(server.operations()).containsExactly("UpdateItem", "UpdateItem"));
		}
	}

	@Test
	@DisplayName("If a server never answers, every operation fails within the timeout")
	void hangs() {
		try (ScriptedDynamoDb server = new ScriptedDynamoDb(ScriptedDynamoDb.NONE);
				DynamoDbAsyncClient client = LocalDynamoDb.newClient(server.endpoint())) {
			DynamoDbLockStore store = store(client, Duration.ofMillis(100));
			assertBroken(store.lock(this.key).acquire(command("a")), "");
			assertBroken(store.lock(this.key).renew("a", TTL), "");
			assertBroken(store.lock(this.key).release("a", null), "");
			assertBroken(store.lock(this.key).release("a", TestResults.stored(RESULT, "result")), "");
			assertBroken(store.lock(this.key).acquire(command("a").orResult(TestResults.query(RESULT, TTL))), "");
		}
	}

	@Test
	@DisplayName("An operation that conflicts with a transaction on the item, for instance a stored result, is repeated")
	void conflicts() {
		Reply conflict = ScriptedDynamoDb.error(400, "TransactionConflictException");
		Reply canceled = new Reply(400,
				"{\"__type\":\"com.amazonaws.dynamodb.v20120810#TransactionCanceledException\",\"CancellationReasons\":"
						+ "[{\"Code\":\"TransactionConflict\"},{\"Code\":\"None\"}]}");
		try (ScriptedDynamoDb server = new ScriptedDynamoDb(conflict, conflict, ScriptedDynamoDb.GRANTED, canceled,
				new Reply(200, "{}")); DynamoDbAsyncClient client = LocalDynamoDb.newClient(server.endpoint())) {
			DynamoDbLockStore store = store(client, SOON);
			assertThat(store.lock(this.key).acquire(command("a"))).succeedsWithin(SOON).isEqualTo(new Granted(42));
			assertThat(store.lock(this.key).release("a", TestResults.stored(RESULT, "result"))).succeedsWithin(SOON)
				.isEqualTo(true);
			assertThat(server.operations()).hasSize(5);
		}
	}

	@Test
	@DisplayName("A release that the driver repeats because its answer was lost succeeds")
	void repeatedRelease() {
		try (DynamoDbTable table = new DynamoDbTable()) {
			DynamoDbLockStore store = table.store();
			store.lock(this.key).acquire(command("a")).toCompletableFuture().join();
			table.loseNextAnswer();
			assertThat(store.lock(this.key).release("a", null)).succeedsWithin(SOON).isEqualTo(true);
			assertThat(table.operations()).endsWith("UpdateItem", "UpdateItem");
			assertThat(store.lock(this.key).release("a", null)).succeedsWithin(SOON).isEqualTo(false);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A release whose answer is lost is repeated, even with a result to store")
	void lostRelease(boolean withResult) {
		try (ScriptedDynamoDb server = new ScriptedDynamoDb(ScriptedDynamoDb.GRANTED, ScriptedDynamoDb.NONE,
				ScriptedDynamoDb.error(500, "InternalServerError"), NOT_OWNED);
				DynamoDbAsyncClient client = LocalDynamoDb.newClient(server.endpoint(),
						AwsRetryStrategy.doNotRetry())) {
			StoredLock lock = store(client, Duration.ofSeconds(3)).lock(this.key);
			assertThat(lock.acquire(command("a"))).succeedsWithin(SOON).isEqualTo(new Granted(42));
			assertBroken(lock.release("a", withResult ? TestResults.stored(RESULT, "result") : null), "");
			String first = withResult ? "TransactWriteItems to free" : "UpdateItem to free";
			Awaitility.await()
				.untilAsserted(() -> assertThat(server.operations()).containsExactly("UpdateItem", first,
						"UpdateItem to free", "UpdateItem to free"));
		}
	}

	@Test
	@DisplayName("A token's release is not repeated, because the token may acquire the lock again")
	void lostReleaseOfToken() {
		try (ScriptedDynamoDb server = new ScriptedDynamoDb(ScriptedDynamoDb.GRANTED, ScriptedDynamoDb.NONE);
				DynamoDbAsyncClient client = LocalDynamoDb.newClient(server.endpoint(),
						AwsRetryStrategy.doNotRetry())) {
			StoredLock lock = store(client, Duration.ofSeconds(3)).lock(this.key);
			assertThat(lock.acquire(command("token").forSharedToken())).succeedsWithin(SOON).isEqualTo(new Granted(42));
			assertBroken(lock.release("token", null), "");
			Awaitility.await()
				.during(Duration.ofSeconds(1))
				.untilAsserted(
						() -> assertThat(server.operations()).containsExactly("UpdateItem", "UpdateItem to free"));
		}
	}

	@Test
	@DisplayName("While the server is frozen, callers are answered in time; after it resumes, no lock without an owner remains")
	void frozen() {
		try (LocalDynamoDb server = LocalDynamoDb.started(); DynamoDbTable table = new DynamoDbTable(server)) {
			DynamoDbLockStore store = table.store(TIMEOUT);
			server.freeze();
			assertBroken(store.lock(this.key).acquire(command("a")), "");
			server.thaw();
			Awaitility.await()
				.ignoreExceptions()
				.untilAsserted(() -> assertThat(store.lock(this.key).acquire(command("b"))).succeedsWithin(SOON)
					.isInstanceOf(Granted.class));
		}
	}

	@Test
	@DisplayName("While the server is down, callers are answered in time; after a restart, held locks are held and free locks are free")
	void killedAndStarted() {
		try (LocalDynamoDb server = LocalDynamoDb.durable(); DynamoDbTable table = new DynamoDbTable(server)) {
			DynamoDbLockStore store = table.store(TIMEOUT);
			DynamoDbLockStore patient = table.store(SOON);
			assertThat(patient.lock(this.key).acquire(command("a"))).succeedsWithin(SOON).isInstanceOf(Granted.class);
			server.kill();
			LockKey other = new LockKey("fault", "other");
			// The driver may repeat an operation that its caller gave up, so these
			// operations
			// use another lock.
			assertBroken(store.lock(other).acquire(command("b")), "");
			assertBroken(store.lock(other).release("b", null), "");
			server.start();
			assertThat(patient.lock(this.key).acquire(command("b"))).succeedsWithin(SOON).isInstanceOf(Held.class);
			assertThat(patient.lock(this.key).release("a", null)).succeedsWithin(SOON).isEqualTo(true);
			assertThat(patient.lock(this.key).acquire(command("b"))).succeedsWithin(SOON).isInstanceOf(Granted.class);
		}
	}

	@Test
	@DisplayName("Credentials that arrive slowly block no caller, and result in a store failure")
	void slowCredentials() {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch there = new CountDownLatch(1);
		try (DynamoDbTable table = new DynamoDbTable();
				DynamoDbAsyncClient client = DynamoDbAsyncClient.builder()
					.endpointOverride(LocalDynamoDb.shared().endpoint())
					.region(Region.EU_CENTRAL_1)
					.credentialsProvider(() -> {
						asked.countDown();
						await(there);
						return AwsBasicCredentials.create("local", "local");
					})
					.build()) {
			DynamoDbLockStore store = new DynamoDbLockStore(client, table.name(), false, Duration.ZERO, TIMEOUT);
			CompletionStage<?> answer = store.lock(this.key).acquire(command("a"));
			await(asked);
			assertBroken(answer, "");
			there.countDown();
			DynamoDbLockStore patient = new DynamoDbLockStore(client, table.name(), false, Duration.ZERO, SOON);
			Awaitility.await()
				.untilAsserted(() -> assertThat(patient.lock(this.key).acquire(command("b"))).succeedsWithin(SOON)
					.isInstanceOf(Granted.class));
			assertThat(patient.lock(this.key).acquire(command("c"))).succeedsWithin(SOON).isInstanceOf(Held.class);
		}
	}

	private static AcquireCommand command(String owner) {
		return AcquireCommand.of(owner, TTL);
	}

	private static DynamoDbLockStore store(DynamoDbAsyncClient client, Duration timeout) {
		return new DynamoDbLockStore(client, "locks", false, Duration.ZERO, timeout);
	}

	private static void assertBroken(CompletionStage<?> answer, String why) {
		assertThat(answer).failsWithin(SOON)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockStoreException.class)
			.satisfies((failure) -> assertThat(failure + " " + failure.getCause()).contains(why));
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
