package io.github.lockstarter.sample.console;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.NestedExceptionUtils;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.autoconfigure.LockAutoConfiguration;

/**
 * The sample on the command line: tasks that start at once, without a lock
 * ({@code parallel}) or with one ({@code serial}). It needs no web server, and exits when
 * the tasks have ended.
 */
@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, LockAutoConfiguration.class })
@EnableConfigurationProperties(ConsoleProperties.class)
public final class Console {

	private static final int FAILED = 1;

	private static final int WRONG_USAGE = 2;

	private static final String USAGE = """
			Usage: java -jar sample-app.jar [parallel] [serial] [--property=value ...]

			  parallel  starts tasks at once, without a lock
			  serial    starts tasks at once, under one lock: one runs at a time, over all processes
			  neither   starts the web server

			  --sample.console.tasks=10        how many tasks
			  --sample.console.duration=200ms  how long each takes
			  --lock.store=jdbc                needs no Redis: the locks are in the sample's database
			  --lock.store=memory              needs no Redis, and serialises the tasks of this process only
			""";

	private Console() {
	}

	/**
	 * Returns whether the command line asks for the console instead of the web server.
	 */
	public static boolean isMeant(String... args) {
		return commands(args).findAny().isPresent();
	}

	/**
	 * Runs the command line.
	 * @param initializers the initializers that the web server has, too
	 * @return the exit code
	 */
	public static int run(String[] args, ApplicationContextInitializer<?>... initializers) {
		List<String> commands = commands(args).toList();
		if (!Set.of("parallel", "serial").containsAll(commands)) {
			System.err.print(USAGE);
			return WRONG_USAGE;
		}
		SpringApplication application = new SpringApplication(Console.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setAdditionalProfiles("console");
		application.addInitializers(initializers);
		// A longer timeout is acceptable for the first connection, because no client
		// waits for an answer.
		application.setDefaultProperties(Map.of("spring.main.banner-mode", "off", "logging.level.root", "error",
				"logging.level.io.lettuce", "off", "lock.redis.command-timeout", "5s"));
		try (ConfigurableApplicationContext context = application.run(args)) {
			Tasks tasks = new Tasks(context.getBean(LockRegistry.class), context.getBean(ConsoleProperties.class),
					System.out);
			for (String command : commands) {
				if (command.equals("serial")) {
					tasks.serial();
				}
				else {
					tasks.parallel();
				}
			}
			return 0;
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof LockException failure) {
				System.err.printf("A lock could not be acquired, so its task was not run: %s%n",
						NestedExceptionUtils.getMostSpecificCause(failure).getMessage());
				System.err.println(
						"Start the web server of the sample in another shell, which starts a Redis, or add --lock.store=jdbc or --lock.store=memory.");
				return FAILED;
			}
			throw new IllegalStateException(ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return FAILED;
		}
	}

	private static Stream<String> commands(String... args) {
		return Stream.of(args).filter((each) -> !each.startsWith("--"));
	}

}
