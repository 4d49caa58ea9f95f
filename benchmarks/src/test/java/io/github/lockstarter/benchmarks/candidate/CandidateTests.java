package io.github.lockstarter.benchmarks.candidate;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.benchmarks.measure.PostgreSqlServer;
import io.github.lockstarter.client.IdempotentRetryInterceptor;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.testing.LocalRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every candidate excludes other holders.
 */
class CandidateTests {

	private static LocalRedis redis;

	private static PostgreSqlServer postgres;

	@BeforeAll
	static void start() {
		redis = LocalRedis.started();
		postgres = new PostgreSqlServer();
	}

	@AfterAll
	static void stop() {
		redis.close();
		postgres.close();
	}

	@ParameterizedTest
	@MethodSource("io.github.lockstarter.benchmarks.candidate.RedisCandidate#all")
	@DisplayName("On Redis, a held lock is granted to no other instance and no other thread, and is free again after its release")
	void excludesOnRedis(RedisCandidate candidate) throws Exception {
		excludes(candidate, new RedisAddress(redis.port()));
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("In PostgreSQL, a held lock is granted to no other instance and no other thread, and is free again after its release")
	void excludesInPostgreSql(JdbcCandidate candidate) throws Exception {
		excludes(candidate, postgres.address());
	}

	private static <A> void excludes(Candidate<A> candidate, A address) throws Exception {
		try (LockClient client = candidate.connect(address); LockClient another = candidate.connect(address)) {
			Runnable release = client.acquire("a");
			assertThat(another.tryAcquire("a")).isNull();
			assertThat(CompletableFuture.supplyAsync(() -> isFree(client), (task) -> new Thread(task).start()).join())
				.isFalse();
			release.run();
			Runnable releaseOther = another.tryAcquire("a");
			assertThat(releaseOther).isNotNull();
			assertThat(client.tryAcquire("a")).isNull();
			releaseOther.run();
			client.acquireFree("a").run();
		}
	}

	@Test
	@DisplayName("Another version of the library is loaded by its own class loader, and shares its locks with this version")
	void otherVersion() throws Exception {
		RedisAddress address = new RedisAddress(redis.port());
		StringJoiner current = new StringJoiner(File.pathSeparator);
		for (Class<?> module : List.of(LockRegistry.class, RedisLockStore.class, IdempotentRetryInterceptor.class,
				ExclusiveRequest.class)) {
			current.add(Path.of(module.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
		}
		try (LockClient client = RedisCandidate.THIS.connect(address);
				LockClient other = OtherVersion.connect(address, current.toString())) {
			Runnable release = other.acquire("b");
			assertThat(client.tryAcquire("b")).isNull();
			release.run();
			client.acquireFree("b").run();
			assertThat(other).isNotInstanceOf(StarterLocks.class);
			assertThat(other.getClass().getClassLoader().loadClass(LockRegistry.class.getName()))
				.isNotSameAs(LockRegistry.class);
		}
	}

	private static boolean isFree(LockClient client) {
		try {
			return client.tryAcquire("a") != null;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
