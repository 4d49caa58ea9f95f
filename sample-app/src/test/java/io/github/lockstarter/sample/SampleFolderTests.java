package io.github.lockstarter.sample;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.h2.Driver;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.context.support.StaticApplicationContext;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.testing.LocalServer;
import io.github.lockstarter.testing.TestJvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What other users of the machine cannot reach of the sample.
 */
@Tag("once")
class SampleFolderTests {

	private static final String STARTED = "an embedded one was started";

	@TempDir
	private Path home;

	@Test
	@DisplayName("The password is the same for all instances of a user, also if they start at the same time")
	void samePassword() {
		List<String> passwords = IntStream.range(0, 20).parallel().mapToObj((i) -> password()).distinct().toList();
		assertThat(passwords).singleElement().asString().matches("[0-9a-f]{32}");
	}

	@Test
	@DisplayName("Only its user can read the folder, also if others could before")
	void permissions() throws IOException {
		Path folder = Files.createDirectory(this.home.resolve(".lock-sample-app"),
				PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
		password();
		assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder))).isEqualTo("rwx------");
	}

	@Test
	@DisplayName("A folder that cannot be used prevents startup, and the message says where it is and what to do")
	void unusable() throws IOException {
		Files.createFile(this.home.resolve(".lock-sample-app"));
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(this::password)
			.withMessageContaining(this.home.resolve(".lock-sample-app").toString())
			.extracting(LockConfigurationException::getAction)
			.asString()
			.contains("-Duser.home=");
	}

	private String password() {
		StaticApplicationContext context = new StaticApplicationContext();
		new SampleFolder(this.home).initialize(context);
		return context.getEnvironment().getRequiredProperty(SampleFolder.DATABASE_PASSWORD);
	}

	@Test
	@DisplayName("Two instances of one user share a database with a password, listen on the loopback address only, and one goes on when the other, and its Redis, start again")
	void twoInstances() throws Exception {
		int redis = LocalServer.reservePort();
		TestJvm first = start(redis);
		try {
			int port = port(first);
			try (TestJvm second = start(redis)) {
				int portOfSecond = port(second);
				assertThat(second.output()).noneMatch((line) -> line.contains(STARTED));
				assertUnreachable(port);
				assertClosed(this.home.resolve(".lock-sample-app"));
				first.terminate();
				first.awaitEnd();
				first = start(redis);
				port(first);
				// It starts another Redis, with another password.
				assertThat(first.output()).anyMatch((line) -> line.contains(STARTED));
				Awaitility.await().until(() -> register(portOfSecond) == 201);
			}
		}
		finally {
			// If it were killed, its Redis would go on running.
			first.terminate();
			first.awaitEnd();
		}
	}

	private static int register(int port) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("http://localhost:%d/users?userName=%d".formatted(port, System.nanoTime())))
			.POST(HttpRequest.BodyPublishers.noBody())
			.build();
		return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
	}

	private static void assertUnreachable(int port) throws SocketException {
		for (InetAddress address : otherAddresses()) {
			assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> {
				try (Socket socket = new Socket()) {
					socket.connect(new InetSocketAddress(address, port), 5_000);
				}
			});
		}
	}

	private static void assertClosed(Path folder) throws IOException {
		assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder))).isEqualTo("rwx------");
		Properties anybody = new Properties();
		anybody.put("user", "sa");
		anybody.put("password", "");
		assertThatExceptionOfType(SQLException.class)
			.isThrownBy(() -> new Driver().connect("jdbc:h2:file:%s/users;AUTO_SERVER=TRUE".formatted(folder), anybody))
			.withMessageContaining("Wrong user name or password");
	}

	@Test
	@DisplayName("After an instance was killed, the next one starts in the same folder, and joins the Redis that was left behind")
	void nextInstance() {
		int redis = LocalServer.reservePort();
		TestJvm killed = start(redis);
		port(killed);
		List<ProcessHandle> itsRedis = ProcessHandle.of(killed.pid()).orElseThrow().children().toList();
		try {
			killed.kill();
			killed.awaitEnd();
			try (TestJvm second = start(redis)) {
				port(second);
				assertThat(second.output()).noneMatch((line) -> line.contains(STARTED));
			}
		}
		finally {
			itsRedis.forEach(ProcessHandle::destroy);
			itsRedis.forEach((process) -> process.onExit().join());
		}
	}

	private TestJvm start(int redis) {
		return TestJvm.start(List.of("-Duser.home=" + this.home), SampleApplication.class, "--server.port=0",
				"--logging.pattern.console=%msg%n", "--spring.data.redis.port=" + redis);
	}

	private static int port(TestJvm instance) {
		return Integer.parseInt(instance.await("Tomcat started on port ").split(" ")[0]);
	}

	private static List<InetAddress> otherAddresses() throws SocketException {
		return NetworkInterface.networkInterfaces()
			.flatMap(NetworkInterface::inetAddresses)
			.filter((address) -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
			.toList();
	}

}
