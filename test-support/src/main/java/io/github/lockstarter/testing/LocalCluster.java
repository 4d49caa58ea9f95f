package io.github.lockstarter.testing;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A Redis Cluster of three masters with a replica each, as processes on this machine.
 */
public final class LocalCluster implements RedisDeployment {

	private static final int MASTERS = 3;

	private static final int SLOTS = 16_384;

	private static final String[] SETTINGS = { "--cluster-enabled", "yes", "--cluster-node-timeout", "2000",
			"--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0" };

	private final List<LocalRedis> nodes = new ArrayList<>();

	private static @Nullable LocalCluster shared;

	/** Returns the servers that tests without faults share. */
	public static synchronized LocalCluster shared() {
		if (shared == null) {
			shared = started();
		}
		return shared;
	}

	/** Starts the servers, and waits until all know each other. */
	public static LocalCluster started() {
		LocalCluster deployment = new LocalCluster();
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
		for (int i = 0; i < 2 * MASTERS; i++) {
			LocalRedis node = LocalRedis.started(SETTINGS);
			this.nodes.add(node);
			node.ask("CLUSTER SET-CONFIG-EPOCH " + (i + 1));
			node.ask("CLUSTER MEET 127.0.0.1 " + this.nodes.get(0).port());
		}
		for (int i = 0; i < MASTERS; i++) {
			String slots = IntStream.range(i * SLOTS / MASTERS, (i + 1) * SLOTS / MASTERS)
				.mapToObj(Integer::toString)
				.collect(Collectors.joining(" "));
			this.nodes.get(i).ask("CLUSTER ADDSLOTS " + slots);
		}
		awaitEverywhere("CLUSTER INFO", "cluster_known_nodes:6");
		for (int i = 0; i < MASTERS; i++) {
			this.nodes.get(MASTERS + i).ask("CLUSTER REPLICATE " + this.nodes.get(i).ask("CLUSTER MYID"));
		}
		awaitReady();
	}

	private void awaitReady() {
		awaitEverywhere("CLUSTER INFO", "cluster_state:ok");
		Awaitility.await()
			.atMost(Duration.ofSeconds(40))
			.until(() -> this.nodes.stream()
				.allMatch((node) -> lines(node).filter((line) -> line.contains("slave ")).count() == MASTERS
						&& lines(node).noneMatch((line) -> line.contains("fail"))
						&& (node.says("INFO replication", "connected_slaves:1")
								|| node.says("INFO replication", "master_link_status:up"))));
	}

	private void awaitEverywhere(String command, String expected) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(40))
			.until(() -> this.nodes.stream().allMatch((node) -> node.says(command, expected)));
	}

	private static Stream<String> lines(LocalRedis node) {
		try {
			return node.ask("CLUSTER NODES").lines();
		}
		catch (UncheckedIOException ex) {
			return Stream.empty();
		}
	}

	@Override
	public List<LocalRedis> all() {
		return List.copyOf(this.nodes);
	}

	@Override
	public List<LocalRedis> masters() {
		return Awaitility.await()
			.atMost(Duration.ofSeconds(40))
			.until(() -> this.nodes.stream().filter(LocalCluster::isMaster).toList(),
					(masters) -> masters.size() == MASTERS);
	}

	private static boolean isMaster(LocalRedis node) {
		return lines(node).anyMatch((line) -> line.contains("myself,master") && line.matches(".* \\d+-\\d+.*"))
				&& node.says("CLUSTER INFO", "cluster_state:ok");
	}

	@Override
	public void heal(LocalRedis broken) {
		broken.kill();
		broken.start();
		awaitReady();
	}

	@Override
	public String toString() {
		return "Cluster";
	}

	@Override
	public String[] properties() {
		List<String> addresses = this.nodes.stream().map((each) -> "127.0.0.1:" + each.port()).toList();
		return new String[] { "spring.data.redis.cluster.nodes=" + String.join(",", addresses) };
	}

	/** Returns a new client, with the settings of the auto-configuration. */
	public RedisClusterClient newClient() {
		RedisClusterClient client = RedisClusterClient.create(TestRedis.newResources(),
				this.nodes.stream().map((each) -> RedisURI.create("127.0.0.1", each.port())).toList());
		client.setOptions(ClusterClientOptions.builder()
			.timeoutOptions(TimeoutOptions.enabled())
			.topologyRefreshOptions(
					ClusterTopologyRefreshOptions.builder().enablePeriodicRefresh(Duration.ofSeconds(2)).build())
			.build());
		return client;
	}

	@Override
	public void close() {
		this.nodes.forEach(LocalRedis::close);
	}

}
