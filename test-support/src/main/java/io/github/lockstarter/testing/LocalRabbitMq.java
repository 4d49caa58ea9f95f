package io.github.lockstarter.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A RabbitMQ server process on this machine, with its own ports.
 */
public final class LocalRabbitMq extends LocalServer {

	/**
	 * The directory of the scripts, because Debian's command on the PATH requires another
	 * user.
	 */
	private static final String DEBIAN = "/usr/lib/rabbitmq/bin";

	private final int port = reservePort();

	private final String names = Integer.toString(reservePort());

	private LocalRabbitMq() {
	}

	/** Starts a server without any queue, and waits until it answers. */
	public static LocalRabbitMq started() {
		LocalRabbitMq server = new LocalRabbitMq();
		server.start();
		return server;
	}

	public int port() {
		return this.port;
	}

	private void start() {
		List<String> command = new ArrayList<>(List.of("env"));
		settings().forEach((name, value) -> command.add(name + "=" + value));
		command.add(executable());
		start(command);
		awaitAnswer(() -> assertThat(written()).contains("startup complete"));
	}

	private Map<String, Object> settings() {
		return Map.ofEntries(Map.entry("HOME", directory()), Map.entry("ERL_EPMD_ADDRESS", "127.0.0.1"),
				Map.entry("ERL_EPMD_PORT", this.names), Map.entry("RABBITMQ_NODENAME", "rabbit@localhost"),
				Map.entry("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1"), Map.entry("RABBITMQ_NODE_PORT", this.port),
				Map.entry("RABBITMQ_DIST_PORT", reservePort()), Map.entry("RABBITMQ_MNESIA_BASE", directory()),
				Map.entry("RABBITMQ_CONF_ENV_FILE", directory().resolve("none.conf")),
				Map.entry("RABBITMQ_CONFIG_FILE", directory().resolve("rabbitmq")),
				Map.entry("RABBITMQ_ADVANCED_CONFIG_FILE", directory().resolve("advanced.config")),
				Map.entry("RABBITMQ_GENERATED_CONFIG_DIR", directory().resolve("config")),
				Map.entry("RABBITMQ_ENABLED_PLUGINS_FILE", directory().resolve("plugins")),
				Map.entry("RABBITMQ_PID_FILE", directory().resolve("pid")), Map.entry("RABBITMQ_LOG_BASE", directory()),
				Map.entry("RABBITMQ_LOGS", "-"));
	}

	private static String executable() {
		return Stream.of(DEBIAN)
			.map((directory) -> new File(directory, "rabbitmq-server"))
			.filter(File::canExecute)
			.map(File::getPath)
			.findFirst()
			.orElse("rabbitmq-server");
	}

	/** Erlang's port mapper keeps running after the server has ended. */
	@Override
	public void close() {
		kill();
		try {
			new ProcessBuilder("epmd", "-port", this.names, "-kill").start().onExit().join();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		super.close();
	}

}
