package io.github.lockstarter.published;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringBootVersion;

import io.github.lockstarter.testing.LocalDynamoDb;
import io.github.lockstarter.testing.LocalMemcached;
import io.github.lockstarter.testing.LocalRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A web application of Spring Boot with each starter and without one, without an
 * exclusion.
 */
class BootTests {

	@TempDir
	private Path output;

	@Test
	@DisplayName("With lock-spring-boot-starter, locks are in Redis, and Spring Data is not there")
	void redis() {
		SmallProject project = SmallProject.of("boot/redis");
		assertThat(project.jars("runtime"))
			.anyMatch((jar) -> jar.endsWith("spring-boot-%s.jar".formatted(SpringBootVersion.getVersion())));
		assertStores(project, Store.REDIS);
		assertThat(project.artifacts()).doesNotContain("spring-data-redis", "jedis");
		try (LocalRedis redis = LocalRedis.started()) {
			assertThat(run(project, List.of(), "spring.data.redis.port=" + redis.port()))
				.contains("stores: redis and redis", "Spring Data Redis: false");
			assertThat(redis.ask("DBSIZE")).isNotEqualTo(":0");
		}
	}

	@Test
	@DisplayName("With lock-spring-boot-starter-jdbc, locks are in the database of the application")
	void jdbc() {
		SmallProject project = SmallProject.of("boot/jdbc");
		assertStores(project, Store.JDBC);
		assertThat(run(project, List.of(), "lock.store=jdbc")).contains("stores: jdbc and jdbc");
	}

	@Test
	@DisplayName("With lock-spring-boot-starter-dynamodb, locks are in DynamoDB")
	void dynamoDb() {
		SmallProject project = SmallProject.of("boot/dynamodb");
		assertStores(project, Store.DYNAMODB);
		List<String> options = Stream.of(LocalDynamoDb.shared().systemProperties()).map((each) -> "-D" + each).toList();
		assertThat(run(project, options, "lock.store=dynamodb", "lock.dynamodb.create-table=true",
				"lock.dynamodb.command-timeout=30s"))
			.contains("stores: dynamodb and dynamodb");
	}

	@Test
	@DisplayName("With lock-spring-boot-starter-memcached, locks are in memcached")
	void memcached() {
		SmallProject project = SmallProject.of("boot/memcached");
		assertStores(project, Store.MEMCACHED);
		try (LocalMemcached memcached = LocalMemcached.started()) {
			assertThat(run(project, List.of(), "lock.store=memcached", "lock.memcached.servers=" + memcached.address()))
				.contains("stores: memcached and memcached");
			assertThat(memcached.commands()).isNotEmpty();
		}
	}

	@Test
	@DisplayName("With two starters, in any order, each lock has its store, also next to Spring Data Redis of the application")
	void twoStores() {
		SmallProject project = SmallProject.of("boot/jdbc-and-own-redis");
		SmallProject otherOrder = SmallProject.of("boot/redis-and-jdbc");
		assertStores(project, Store.REDIS, Store.JDBC);
		assertStores(otherOrder, Store.REDIS, Store.JDBC);
		assertThat(otherOrder.artifacts()).doesNotContain("spring-data-redis").isSubsetOf(project.artifacts());
		try (LocalRedis redis = LocalRedis.started()) {
			assertThat(
					run(project, List.of(), "lock.names.orders.store=jdbc", "spring.data.redis.port=" + redis.port()))
				.contains("stores: jdbc and redis", "Spring Data Redis: true");
		}
	}

	@Test
	@DisplayName("Without a starter, locks can be in memory, and there is no driver of a store")
	void withoutStarter() {
		SmallProject project = SmallProject.of("boot/autoconfigure");
		assertStores(project);
		assertThat(run(project, List.of(), "lock.store=memory")).contains("stores: memory and memory");
	}

	@Test
	@DisplayName("With lock-spring-boot-test, a slice of the application is tested without a server")
	void tests() {
		SmallProject project = SmallProject.of("boot/test");
		List<Path> sources = Stream.of("tests", "junit")
			.flatMap((folder) -> SmallProject.sources(folder).stream())
			.toList();
		SmallProject.compile(this.output, sources, project.jarsToTest());
		assertThat(project.runTests(this.output, "shop.ShopTests")).last().isEqualTo("succeeded: 1 of 1");
	}

	private List<String> run(SmallProject project, List<String> options, String... properties) {
		project.compile(this.output, "boot");
		List<String> lines = project.run(this.output, options, "shop.Shop",
				Stream.concat(Stream.of("server.port=0", "server.address=127.0.0.1"), Stream.of(properties))
					.map((property) -> "--" + property)
					.toArray());
		assertThat(lines).contains("orders: 200 and 409");
		return lines;
	}

	private static void assertStores(SmallProject project, Store... stores) {
		Set<Store> expected = Set.of(stores);
		for (Store store : Store.values()) {
			List<String> found = project.artifacts().stream().filter(store.jars.asMatchPredicate()).toList();
			assertThat(!found.isEmpty()).as("%s", found).isEqualTo(expected.contains(store));
		}
	}

	/** The jars of a store, of which no other store needs one. */
	private enum Store {

		REDIS("lock-redis|lettuce-core|reactor-.*|spring-boot-data-redis|spring-data-.*"),

		JDBC("lock-jdbc|HikariCP|spring-jdbc|spring-tx|spring-boot-jdbc"),

		DYNAMODB("lock-dynamodb|dynamodb|.*aws-core|apache5-client"),

		MEMCACHED("lock-memcached|folsom|dns.*");

		private final Pattern jars;

		Store(String jars) {
			this.jars = Pattern.compile(jars);
		}

	}

}
