package io.github.lockstarter.autoconfigure;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.testing.LocalCluster;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.LocalSentinel;
import io.github.lockstarter.testing.LocalServer;
import io.github.lockstarter.testing.RedisDeployment;
import io.github.lockstarter.testing.TestCertificate;
import io.github.lockstarter.store.test.TestResults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * Locks over TLS, with a Redis user that has the documented permissions only.
 */
@Tag("redis")
@ExtendWith(OutputCaptureExtension.class)
class RedisSecurityTests {

	private static final Path DOCUMENTATION = Path.of("..", "docs", "redis.md");

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final ResultKey RESULT = new ResultKey("replay", TTL, true);

	private static final AtomicInteger keys = new AtomicInteger();

	private static LocalRedis redis;

	private static ApplicationContextRunner application;

	@BeforeAll
	static void start(@TempDir Path directory) throws Exception {
		TestCertificate certificate = TestCertificate.create(directory);
		int port = LocalServer.reservePort();
		redis = LocalRedis.started("--tls-port", Integer.toString(port), "--tls-cert-file",
				certificate.certificate().toString(), "--tls-key-file", certificate.key().toString(),
				"--tls-ca-cert-file", certificate.certificate().toString(), "--tls-auth-clients", "no");
		application = user().withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + port,
					"spring.ssl.bundle.pem.redis.truststore.certificate=file:" + certificate.certificate(),
					"spring.data.redis.ssl.enabled=true", "spring.data.redis.ssl.bundle=redis");
	}

	@AfterAll
	static void stop() {
		redis.close();
	}

	private static ApplicationContextRunner user() {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("org.springframework.data"))
			.withPropertyValues("spring.data.redis.username=locks", "spring.data.redis.password=secret",
					"lock.redis.command-timeout=30s");
	}

	@Test
	@DisplayName("Over TLS, the documented ACL rule is sufficient, and each of its parts is necessary")
	void smallestRule(CapturedOutput output) throws Exception {
		List<String> rule = rule("ACL SETUSER");
		useEverything(rule, Duration.ofSeconds(10));
		List<String> permissions = rule.stream().filter((each) -> "+~&".indexOf(each.charAt(0)) >= 0).toList();
		assertThat(permissions).hasSizeGreaterThan(10);
		for (String permission : permissions) {
			List<String> less = new ArrayList<>(rule);
			less.remove(permission);
			if (permission.equals("+publish")) {
				useEverything(less, Duration.ofSeconds(10));
				assertThat(output).contains("No messages about released locks are received");
				continue;
			}
			// Without messages no call fails, but no waiter is notified.
			boolean silent = permission.matches(".*(subscribe|released)");
			Duration patience = silent ? Duration.ofMillis(500) : Duration.ofSeconds(10);
			assertThatCode(() -> useEverything(less, patience)).as("without " + permission)
				.isInstanceOf(Throwable.class);
		}
	}

	@Test
	@DisplayName("With the optional rights, the server's command releases a lock if there is one; without the right to it, the script does")
	void optionalRights() throws Exception {
		List<String> rule = new ArrayList<>(rule("ACL SETUSER"));
		rule.add("+command|info");
		releaseLock(rule);
		assertThat(redis.ask("INFO commandstats")).contains("cmdstat_del:calls=1,");
		if (redis.ask("DELEX missing IFEQ value").equals(":0")) {
			rule.add("+delex");
			releaseLock(rule);
			assertThat(redis.ask("INFO commandstats")).contains("cmdstat_delex:calls=1,")
				.doesNotContain("cmdstat_del:");
		}
		else if (redis.ask("DELIFEQ missing value").equals(":0")) {
			rule.add("+delifeq");
			releaseLock(rule);
			assertThat(redis.ask("INFO commandstats")).contains("cmdstat_delifeq:calls=1,")
				.doesNotContain("cmdstat_del:");
		}
	}

	/** Acquires and releases a lock. The server counts its commands from then on. */
	private void releaseLock(List<String> rule) {
		redis.ask("ACL DELUSER locks");
		assertThat(redis.ask("ACL SETUSER " + String.join(" ", rule))).isEqualTo("+OK");
		redis.ask("CONFIG RESETSTAT");
		application.run((context) -> {
			StoredLock lock = context.getBean(LockStore.class).lock(new LockKey("acl", "optional"));
			assertThat(join(lock.acquire(command("a")))).isInstanceOf(Granted.class);
			assertThat(join(lock.release("a", null))).isTrue();
		});
	}

	private void useEverything(List<String> rule, Duration patience) {
		redis.ask("ACL DELUSER locks");
		assertThat(redis.ask("ACL SETUSER " + String.join(" ", rule))).isEqualTo("+OK");
		redis.ask("SCRIPT FLUSH");
		application.run((context) -> {
			StoredLock lock = context.getBean(LockStore.class).lock(new LockKey("acl", "key" + keys.incrementAndGet()));
			AtomicInteger woken = new AtomicInteger();
			AcquireCommand waiting = command("b").notifying(woken::incrementAndGet);
			assertThat(join(lock.acquire(command("a")))).isInstanceOf(Granted.class);
			assertThat(join(lock.acquire(waiting))).isInstanceOf(Held.class);
			Awaitility.await().atMost(patience).until(() -> woken.get() > 0 && subscribers() == 1);
			assertThat(join(lock.renew("a", TTL))).isTrue();
			int before = woken.get();
			assertThat(join(lock.release("a", null))).isTrue();
			Awaitility.await().atMost(patience).until(() -> woken.get() > before);
			assertThat(join(lock.acquire(command("c")))).isInstanceOf(Granted.class);
			assertThat(join(lock.acquire(command("d").notifying(woken::incrementAndGet).after("c"))))
				.isInstanceOf(Granted.class);
			assertThat(join(lock.release("d", TestResults.stored(RESULT, "result")))).isTrue();
			assertThat(join(lock.acquire(command("e").orResult(TestResults.query(RESULT, TTL)))))
				.isInstanceOf(Found.class);
		});
	}

	private static int subscribers() {
		return redis.ask("PUBSUB CHANNELS lock:released").equals("*1") ? 1 : 0;
	}

	@Test
	@DisplayName("The documented ACL rule is sufficient with Sentinel, and with its documented additions in a cluster")
	void deployments() throws Exception {
		List<String> acknowledged = new ArrayList<>(rule("ACL SETUSER"));
		acknowledged.addAll(rule("| `lock.redis.replicas-to-ack` |"));
		acquires(LocalSentinel.shared(), acknowledged, "lock.redis.replicas-to-ack=1");
		List<String> clustered = new ArrayList<>(rule("ACL SETUSER"));
		clustered.addAll(rule("| a cluster |"));
		acquires(LocalCluster.shared(), clustered, "lock.redis.replicas-to-ack=0");
	}

	private static void acquires(RedisDeployment deployment, List<String> rule, String property) {
		for (LocalRedis node : deployment.all()) {
			assertThat(node.ask("ACL SETUSER " + String.join(" ", rule))).isEqualTo("+OK");
		}
		user().withPropertyValues(deployment.properties()).withPropertyValues(property).run((context) -> {
			LockStore store = context.getBean(LockStore.class);
			AtomicInteger woken = new AtomicInteger();
			for (int i = 0; i < 10; i++) {
				StoredLock lock = store.lock(new LockKey("acl", "key" + i));
				assertThat(join(lock.acquire(command("a")))).isInstanceOf(Granted.class);
				join(lock.acquire(command("b").notifying(woken::incrementAndGet)));
				Awaitility.await().until(() -> woken.get() > 0);
				int before = woken.get();
				assertThat(join(lock.release("a", null))).isTrue();
				Awaitility.await().until(() -> woken.get() > before);
			}
		});
		for (LocalRedis node : deployment.all()) {
			node.ask("ACL DELUSER locks");
		}
	}

	/** Returns the words that follow a text in a line of the documentation. */
	private static List<String> rule(String begin) throws Exception {
		String line = Files.readAllLines(DOCUMENTATION)
			.stream()
			.filter((each) -> each.startsWith(begin))
			.findFirst()
			.orElseThrow();
		String rights = line.substring(begin.length()).replaceAll(" \\|$", "").replace("\\|", "|");
		return Arrays.asList(rights.replace("`", "").strip().split(" +"));
	}

	private static AcquireCommand command(String owner) {
		return AcquireCommand.of(owner, TTL);
	}

	private static <T> T join(CompletionStage<T> stage) throws Exception {
		return stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
	}

}
