package io.github.lockstarter.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisURI;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A Redis master, two replicas and three sentinels, as processes on this machine.
 */
public final class LocalSentinel implements RedisDeployment {

	private static final String NAME = "locks";

	private static final String[] SETTINGS = { "--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0",
			"--repl-ping-replica-period", "1" };

	private final List<LocalRedis> nodes = new ArrayList<>();

	private final List<LocalRedis> sentinels = new ArrayList<>();

	private static @Nullable LocalSentinel shared;

	/** Returns the servers that tests without faults share. */
	public static synchronized LocalSentinel shared() {
		if (shared == null) {
			shared = started();
		}
		return shared;
	}

	/** Starts the servers, and waits until all know each other. */
	public static LocalSentinel started() {
		LocalSentinel deployment = new LocalSentinel();
		try {
			deployment.start();
			return deployment;
		}
		catch (RuntimeException | Error ex) {
			deployment.close();
			throw ex;
		}
	}

	private void start() {
		for (int i = 0; i < 3; i++) {
			this.nodes.add(LocalRedis.started(SETTINGS));
		}
		LocalRedis master = this.nodes.get(0);
		follow(master);
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> isInSync(master));
		for (int i = 0; i < 3; i++) {
			LocalRedis sentinel = LocalRedis.sentinel(
					"sentinel monitor %s 127.0.0.1 %d 2".formatted(NAME, master.port()),
					"sentinel down-after-milliseconds %s 1000".formatted(NAME),
					"sentinel failover-timeout %s 3000".formatted(NAME));
			this.sentinels.add(sentinel);
			sentinel.start();
			// By default the sentinels exchange their state every 2 s.
			sentinel.ask("SENTINEL DEBUG publish-period 200 info-period 1000");
		}
		awaitReady();
	}

	private void follow(LocalRedis master) {
		this.nodes.stream()
			.filter((node) -> node != master)
			.forEach((node) -> node.ask("REPLICAOF 127.0.0.1 " + master.port()));
	}

	private boolean isInSync(LocalRedis master) {
		return this.nodes.stream()
			.allMatch((node) -> (node == master) ? node.says("INFO replication", "connected_slaves:2")
					: node.says("INFO replication", "master_port:" + master.port())
							&& node.says("INFO replication", "master_link_status:up"));
	}

	private void awaitReady() {
		Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> {
			LocalRedis master = master();
			return isInSync(master) && this.sentinels.stream()
				.allMatch((sentinel) -> sentinel.says("INFO sentinel",
						"status=ok,address=127.0.0.1:%d,slaves=2,sentinels=3".formatted(master.port())));
		});
	}

	/** Returns the master that all sentinels agree on. */
	public LocalRedis master() {
		return Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.nodes.stream()
				.filter((node) -> this.sentinels.stream()
					.allMatch((sentinel) -> sentinel.says("INFO sentinel", "address=127.0.0.1:" + node.port() + ",")))
				.findFirst()
				.orElse(null), (node) -> node != null);
	}

	public List<LocalRedis> sentinels() {
		return List.copyOf(this.sentinels);
	}

	@Override
	public List<LocalRedis> all() {
		return List.copyOf(this.nodes);
	}

	@Override
	public List<LocalRedis> masters() {
		return List.of(master());
	}

	/** Returns the replicas. */
	public List<LocalRedis> replicas() {
		LocalRedis master = master();
		return this.nodes.stream().filter((node) -> node != master).toList();
	}

	@Override
	public void heal(LocalRedis broken) {
		LocalRedis master = master();
		broken.kill();
		broken.start();
		// Sentinel itself would need about ten seconds for this.
		follow(master);
		awaitReady();
	}

	@Override
	public String toString() {
		return "Sentinel";
	}

	@Override
	public String[] properties() {
		List<String> addresses = this.sentinels.stream().map((each) -> "127.0.0.1:" + each.port()).toList();
		return new String[] { "spring.data.redis.sentinel.master=" + NAME,
				"spring.data.redis.sentinel.nodes=" + String.join(",", addresses) };
	}

	/** Returns the address of the master, which the sentinels know. */
	public RedisURI uri() {
		RedisURI.Builder master = RedisURI.builder().withSentinelMasterId(NAME);
		this.sentinels.forEach((each) -> master.withSentinel("127.0.0.1", each.port()));
		return master.build();
	}

	/** Returns a new, started connection factory of an application. */
	public LettuceConnectionFactory newConnectionFactory() {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration();
		configuration.setMaster(NAME);
		this.sentinels.forEach((each) -> configuration.sentinel("127.0.0.1", each.port()));
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration,
				LettuceClientConfiguration.builder().readFrom(ReadFrom.UPSTREAM).build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	@Override
	public void close() {
		Stream.of(this.sentinels, this.nodes).flatMap(List::stream).forEach(LocalRedis::close);
	}

}
