package io.github.lockstarter.benchmarks.workload;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.baomidou.lock.LockTemplate;
import com.zaxxer.hikari.HikariDataSource;
import io.lettuce.core.RedisClient;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.apache.catalina.startup.Tomcat;
import org.postgresql.Driver;
import org.redisson.Redisson;
import reactor.netty.http.server.HttpServer;

import org.springframework.boot.SpringApplication;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry;

/**
 * The machine and the versions of a run.
 */
final class Environment {

	private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

	private Environment() {
	}

	/** Returns a description of the environment, in one paragraph. */
	static String describe(String redisVersion) {
		String libraries = Stream
			.of(SpringApplication.class, RedisTemplate.class, RedisClient.class, RedisLockRegistry.class,
					Redisson.class, RedisLockProvider.class, JdbcTemplateLockProvider.class, JdbcLockRegistry.class,
					Driver.class, HikariDataSource.class, LockTemplate.class, Tomcat.class, HttpServer.class)
			.map(Environment::jar)
			.collect(Collectors.joining(", "));
		return "%s, %d processors, %s; Java %s (%s); Redis %s on the same machine; %s.".formatted(processor(),
				Runtime.getRuntime().availableProcessors(), System.getProperty("os.name"),
				System.getProperty("java.version"), System.getProperty("java.vendor"), redisVersion, libraries);
	}

	private static String jar(Class<?> type) {
		String file = Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath())
			.getFileName()
			.toString();
		return file.substring(0, file.length() - ".jar".length());
	}

	private static String processor() {
		try (Stream<String> lines = Files.lines(PROCESSORS)) {
			return lines.filter((line) -> line.startsWith("model name"))
				.map((line) -> line.substring(line.indexOf(':') + 1).strip())
				.findFirst()
				.orElse(System.getProperty("os.arch"));
		}
		catch (IOException ex) {
			return System.getProperty("os.arch");
		}
	}

}
