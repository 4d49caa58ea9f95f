package io.github.lockstarter.testing;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * A DynamoDB Local process on this machine, with its own port, data in memory, and
 * injectable faults. The build downloads it and records its class path.
 */
public final class LocalDynamoDb extends LocalServer {

	/** Written by the build of this module. */
	private static final Path CLASS_PATH = Path.of("test-support", "target", "dynamodb-local.classpath");

	/** Shared, because a client needs seconds to close its own. */
	private static final SdkEventLoopGroup threads = SdkEventLoopGroup.builder().numberOfThreads(2).build();

	private static @Nullable LocalDynamoDb shared;

	private final int port = reservePort();

	private final List<String> storage;

	private LocalDynamoDb(String... storage) {
		this.storage = List.of(storage);
	}

	/** Returns the server that tests without faults share. */
	public static synchronized LocalDynamoDb shared() {
		if (shared == null) {
			shared = started();
		}
		return shared;
	}

	/** Starts a server whose data is lost when it stops. */
	public static LocalDynamoDb started() {
		return started("-inMemory");
	}

	/** Starts a server that keeps its data until it is closed. */
	public static LocalDynamoDb durable() {
		return started("-sharedDb", "-dbPath", ".");
	}

	private static LocalDynamoDb started(String... storage) {
		LocalDynamoDb server = new LocalDynamoDb(storage);
		server.start();
		return server;
	}

	/** Starts the server and waits until it answers. */
	public void start() {
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		List<String> command = new ArrayList<>(List.of(java, "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
				"--enable-native-access=ALL-UNNAMED"));
		command.addAll(TestJvm.WITHOUT_VERIFICATION);
		command.addAll(List.of("-cp", classPath(), "software.amazon.dynamodb.services.local.main.ServerRunner",
				"-disableTelemetry", "-port", Integer.toString(this.port)));
		command.addAll(this.storage);
		start(command);
		try (DynamoDbAsyncClient client = newClient(endpoint(), AwsRetryStrategy.doNotRetry())) {
			// A starting server may ignore an operation: the next one is answered.
			awaitAnswer(() -> client
				.listTables((list) -> list.overrideConfiguration((each) -> each.apiCallTimeout(Duration.ofSeconds(1))))
				.join());
		}
	}

	public URI endpoint() {
		return URI.create("http://127.0.0.1:" + this.port);
	}

	/** Returns a new client. */
	public DynamoDbAsyncClient newClient(ExecutionInterceptor... interceptors) {
		return newClient(endpoint(), (configuration) -> configuration.executionInterceptors(List.of(interceptors)));
	}

	/** Returns a new client for a server. */
	public static DynamoDbAsyncClient newClient(URI endpoint) {
		return newClient(endpoint, (configuration) -> {
		});
	}

	/** Returns a new client for a server, with this retry strategy. */
	public static DynamoDbAsyncClient newClient(URI endpoint, RetryStrategy retries) {
		return newClient(endpoint, (configuration) -> configuration.retryStrategy(retries));
	}

	private static DynamoDbAsyncClient newClient(URI endpoint,
			Consumer<ClientOverrideConfiguration.Builder> configuration) {
		return DynamoDbAsyncClient.builder()
			.endpointOverride(endpoint)
			.region(Region.EU_CENTRAL_1)
			.credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local")))
			.overrideConfiguration(configuration)
			.httpClientBuilder(NettyNioAsyncHttpClient.builder()
				// The server handles one operation at a time, so a thousand concurrent
				// operations take long.
				.connectionAcquisitionTimeout(Duration.ofSeconds(30))
				.eventLoopGroup(threads))
			.build();
	}

	/**
	 * Returns the system properties that direct the SDK's own client to the shared
	 * server.
	 */
	public String[] systemProperties() {
		return systemProperties(endpoint());
	}

	/** Returns the system properties that direct the SDK's own client to a server. */
	public static String[] systemProperties(URI endpoint) {
		return new String[] { "aws.region=eu-central-1", "aws.accessKeyId=local", "aws.secretAccessKey=local",
				"aws.endpointUrlDynamoDb=" + endpoint };
	}

	private static String classPath() {
		// Next to the directory of another module, or next to one that has several.
		Path sibling = Path.of("..").resolve(CLASS_PATH);
		try {
			return Files.readString(Files.exists(sibling) ? sibling : Path.of("..").resolve(sibling));
		}
		catch (IOException ex) {
			throw new IllegalStateException(
					"No %s: run 'mvn process-test-resources' once, which downloads DynamoDB Local"
						.formatted(CLASS_PATH),
					ex);
		}
	}

}
