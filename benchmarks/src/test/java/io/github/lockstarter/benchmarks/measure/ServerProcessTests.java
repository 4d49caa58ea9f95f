package io.github.lockstarter.benchmarks.measure;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

class ServerProcessTests {

	@Test
	@DisplayName("A server reports its port; its threads, memory, processor time and connections are measured from outside")
	void figures() throws Exception {
		try (ServerProcess server = new ServerProcess("-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				Listening.class.getName())) {
			assertThat(server.connections()).isZero();
			try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
				assertThat(client.isConnected()).isTrue();
				await().until(server::connections, (count) -> count == 1);
			}
			assertThat(server.threads()).isGreaterThan(1);
			assertThat(server.heapBytes()).isBetween(100_000L, server.residentBytes());
			assertThat(server.processorSeconds()).isPositive();
			server.awaitQuiet();
		}
	}

	@Test
	@DisplayName("When a server does not start, its output is in the failure")
	void doesNotStart() {
		assertThatIllegalStateException().isThrownBy(() -> new ServerProcess("-jar", "there-is-none.jar"))
			.withMessageContaining("did not start")
			.withMessageContaining("there-is-none.jar");
	}

	static final class Listening {

		private Listening() {
		}

		public static void main(String[] args) throws Exception {
			try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
				System.out.printf("Listening: started on port %d%n", server.getLocalPort());
				while (true) {
					server.accept();
				}
			}
		}

	}

}
