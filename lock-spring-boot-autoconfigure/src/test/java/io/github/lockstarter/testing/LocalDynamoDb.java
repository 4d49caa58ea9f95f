package io.github.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

import org.springframework.util.FileSystemUtils;

/**
 * A DynamoDB Local that runs as a process on this machine, on a port of its own, keeps
 * all in memory, and can be broken at will. The build downloads it and writes down its
 * class path.
 */
public final class LocalDynamoDb implements AutoCloseable {

	private static final Path CLASS_PATH = Path.of("target", "dynamodb-local.classpath");

	private static @Nullable LocalDynamoDb shared;

	private final int port = freePort();

	private final Path directory = temporaryDirectory();

	private Process process;

	/** Returns a server that all tests of this JVM share; none may break it. */
	public static synchronized LocalDynamoDb shared() {
		if (shared == null) {
			shared = started();
		}
		return shared;
	}

	/** Starts a server, whose data are gone when it stops. */
	public static LocalDynamoDb started() {
		LocalDynamoDb server = new LocalDynamoDb();
		server.start();
		return server;
	}

	/** Starts the server and waits until it answers. */
	public void start() {
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		ProcessBuilder builder = new ProcessBuilder(List.of(java, "-Xmx512m", "-XX:+UseSerialGC",
				"-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-cp", classPath(),
				"software.amazon.dynamodb.services.local.main.ServerRunner", "-inMemory", "-disableTelemetry", "-port",
				Integer.toString(this.port)))
			.directory(this.directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD);
		builder.environment().put("DDB_LOCAL_TELEMETRY", "0");
		try {
			this.process = builder.start();
			Runtime.getRuntime().addShutdownHook(new Thread(this::close));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		try (DynamoDbAsyncClient client = client(endpoint(), AwsRetryStrategy.doNotRetry())) {
			Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.until(() -> client.listTables().handle((tables, failure) -> failure == null).join());
		}
	}

	public URI endpoint() {
		return URI.create("http://127.0.0.1:" + this.port);
	}

	/** Returns a new client. */
	public DynamoDbAsyncClient client(ExecutionInterceptor... interceptors) {
		return client(endpoint(), (configuration) -> configuration.executionInterceptors(List.of(interceptors)));
	}

	/** Returns a new client for a server. */
	public static DynamoDbAsyncClient client(URI endpoint) {
		return client(endpoint, (configuration) -> {
		});
	}

	/** Returns a new client for a server that repeats requests in this way. */
	public static DynamoDbAsyncClient client(URI endpoint, RetryStrategy retries) {
		return client(endpoint, (configuration) -> configuration.retryStrategy(retries));
	}

	private static DynamoDbAsyncClient client(URI endpoint,
			Consumer<ClientOverrideConfiguration.Builder> configuration) {
		return DynamoDbAsyncClient.builder()
			.endpointOverride(endpoint)
			.region(Region.EU_CENTRAL_1)
			.credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local")))
			.overrideConfiguration(configuration)
			.build();
	}

	/** Returns the properties of a JVM that lead the SDK's own client to the server. */
	public String[] systemProperties() {
		return systemProperties(endpoint());
	}

	/** Returns the properties of a JVM that lead the SDK's own client to a server. */
	public static String[] systemProperties(URI endpoint) {
		return new String[] { "aws.region=eu-central-1", "aws.accessKeyId=local", "aws.secretAccessKey=local",
				"aws.endpointUrlDynamoDb=" + endpoint };
	}

	/** Kills the server, as {@code kill -9} does. */
	public void kill() {
		this.process.destroyForcibly().onExit().join();
	}

	/** Stops the server from doing anything, with all its connections open. */
	public void freeze() {
		signal("STOP");
	}

	public void thaw() {
		signal("CONT");
	}

	@Override
	public void close() {
		kill();
		FileSystemUtils.deleteRecursively(this.directory.toFile());
	}

	private void signal(String name) {
		try {
			new ProcessBuilder("sh", "-c", "kill -%s %d".formatted(name, this.process.pid())).start().onExit().join();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String classPath() {
		try {
			return Files.readString(CLASS_PATH);
		}
		catch (IOException ex) {
			throw new IllegalStateException(
					"No %s: run 'mvn process-test-resources' once, which downloads DynamoDB Local"
						.formatted(CLASS_PATH),
					ex);
		}
	}

	private static Path temporaryDirectory() {
		try {
			return Files.createTempDirectory("local-dynamodb");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static int freePort() {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
