package io.github.lockstarter.autoconfigure;

import java.io.File;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.github.lockstarter.IdempotencyRegistry;
import io.github.lockstarter.IdempotentWork;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.TestJvm;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs in JVMs without the files of optional libraries, which shows the effect of their
 * absence.
 */
class OptionalLibrariesTests {

	@ParameterizedTest
	// Each test starts a JVM. Libraries that no other library needs are left out
	// together.
	@ValueSource(strings = { "tomcat|servlet|webmvc", "webflux",
			"r2dbc|dynamodb|aws|sdk-core|graphql|grpc|context-propagation|springdoc|swagger|actuator|health|micrometer-(core|metrics|registry|tracing)|prometheus|security",
			"reactor|lettuce|webflux|reactive-streams|netty|kotlin",
			"tomcat|servlet|webmvc|reactor|lettuce|webflux|reactive-streams|netty|kotlin",
			"spring-tx|jdbc|transaction|data-redis|data-keyvalue|kotlin" })
	@DisplayName("Without the optional libraries, all other features work")
	void absent(String libraries) {
		assertStarts(libraries, "memory");
	}

	@Test
	@DisplayName("With locks in a SQL database, no Redis library is needed")
	void noRedis() {
		assertStarts("lettuce|data-redis|data-keyvalue|reactor|netty|webflux", "jdbc");
	}

	@Test
	@DisplayName("Without Reactor, unit tests of applications can mock idempotent work")
	void mocked() {
		try (TestJvm jvm = start("reactor|lettuce|webflux|reactive-streams|netty|kotlin", Mock.class)) {
			assertThat(jvm.await("mocked ")).isEqualTo("done");
			assertThat(jvm.await("proxied ")).isEqualTo("call");
		}
	}

	private static void assertStarts(String libraries, String store) {
		try (TestJvm jvm = start(libraries, Minimal.class, store)) {
			assertThat(jvm.await("worked ")).isEqualTo("done");
			assertThat(jvm.await("repeated ")).isEqualTo("done");
			assertThat(jvm.await("called ")).isEqualTo("taro");
		}
	}

	private static TestJvm start(String libraries, Class<?> main, Object... args) {
		String classPath = Stream
			.of(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
				.split(File.pathSeparator))
			.filter((each) -> !each.endsWith(".jar") || !new File(each).getName().matches(".*(" + libraries + ").*"))
			.collect(Collectors.joining(File.pathSeparator));
		return TestJvm.start(List.of("-cp", classPath), main.getName(), args);
	}

	/** An application with one guarded method. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Minimal.Service.class)
	static class Minimal {

		public static void main(String[] args) {
			try (ConfigurableApplicationContext context = SpringApplication.run(Minimal.class,
					"--lock.store=" + args[0], "--lock.client.enabled=true", "--server.port=0",
					"--server.address=127.0.0.1")) {
				IdempotentWork<String> work = context.getBean(IdempotencyRegistry.class)
					.work("work:1", String.class)
					.comparing("content");
				System.out.println("worked " + work.call(() -> "done"));
				System.out.println("repeated "
						+ work.callAsync(() -> CompletableFuture.completedStage("again")).toCompletableFuture().join());
				System.out.println("called " + context.getBean(Service.class).call("taro"));
			}
			System.exit(0);
		}

		static class Service {

			@ExclusiveRequest(key = "#key", condition = "principal == null")
			public String call(String key) {
				return key;
			}

		}

	}

	/** A unit test of an application, with both kinds of mocks. */
	static class Mock {

		public static void main(String[] args) {
			IdempotentWork<String> mock = Mockito.mock();
			Mockito.when(mock.call(Mockito.any())).thenReturn("done");
			System.out.println("mocked " + mock.call(() -> "again"));
			IdempotentWork<?> proxy = (IdempotentWork<?>) Proxy.newProxyInstance(Mock.class.getClassLoader(),
					new Class<?>[] { IdempotentWork.class }, (self, method, arguments) -> method.getName());
			System.out.println("proxied " + proxy.call(() -> null));
		}

	}

}
