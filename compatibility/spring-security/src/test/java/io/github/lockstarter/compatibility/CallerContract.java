package io.github.lockstarter.compatibility;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.key.KeyText;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A handler runs as its caller, however the caller has authenticated, and whether or not
 * the request has waited.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class CallerContract {

	private final String waiting;

	private TestServer server;

	private Waiters waiters;

	/**
	 * Creates the tests.
	 * @param waiting the property that determines how requests wait
	 */
	CallerContract(String waiting) {
		this.waiting = waiting;
	}

	@BeforeAll
	void start() {
		this.server = TestServer.start(new Class<?>[] { SecuredApplication.class }, "lock.store=memory", this.waiting,
				"server.shutdown=immediate");
		this.waiters = new Waiters(this.server.context());
	}

	@AfterAll
	void stop() {
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("A handler whose lock is free runs as its caller")
	void free(Scheme scheme) throws Exception {
		for (String path : paths()) {
			assertRunAs("alice", post(scheme, path + "?key=" + scheme, "alice").join());
		}
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("A handler that waited for its lock runs as its caller")
	void waited(Scheme scheme, String path) throws Exception {
		String key = scheme + path;
		LockKey lock = path.equals("/name") ? new LockKey("page", "alice")
				: path.equals("/share") ? KeyText.lockKey("page", List.of("alice", key)) : new LockKey("page", key);
		assertRunAs("alice", this.waiters.contended(lock, () -> post(scheme, path + "?key=" + key, "alice")).get());
	}

	private static List<String> paths() {
		return List.of("/reject", "/wait", "/share", "/replay", "/name");
	}

	private static Stream<Object[]> waited() {
		return Stream.of(Scheme.values())
			.flatMap((scheme) -> paths().stream().map((path) -> new Object[] { scheme, path }));
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("Of several callers that waited for one lock, each runs as itself")
	void several(Scheme scheme) throws Exception {
		CompletableFuture<HttpResponse<String>> alice;
		CompletableFuture<HttpResponse<String>> bob;
		LockKey lock = new LockKey("page", scheme + "several");
		LockRegistry locks = this.server.context().getBean(LockRegistry.class);
		try (Lease held = locks.acquire(lock, locks.options("page"))) {
			alice = post(scheme, "/wait?key=" + lock.key(), "alice");
			bob = post(scheme, "/wait?key=" + lock.key(), "bob");
			this.waiters.await(2);
			assertThat(held.isHeld()).isTrue();
		}
		assertRunAs("alice", alice.get());
		assertRunAs("bob", bob.get());
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("A replayed response is only for the user whose response it is")
	void replayed(Scheme scheme) throws Exception {
		for (int i = 0; i < 2; i++) {
			assertThat(post(scheme, "/run?key=" + scheme, "alice").join().body()).isEqualTo("alice alice 1");
			assertThat(post(scheme, "/run?key=" + scheme, "bob").join().body()).isEqualTo("bob bob 2");
		}
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("A caller that may not call a handler is denied at once, although its lock is held")
	void denied(Scheme scheme) throws Exception {
		LockRegistry locks = this.server.context().getBean(LockRegistry.class);
		try (Lease held = locks.acquire(new LockKey("page", "denied"), locks.options("page"))) {
			assertThat(post(scheme, "/forbidden?key=denied", "alice").join().statusCode()).isEqualTo(403);
			assertThat(this.server.post(scheme.path("/wait?key=denied")).statusCode()).isIn(302, 401, 403);
			this.waiters.await(0);
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	@DisplayName("A key that reads what the principal does not have is an error in the log, with what to write instead")
	void misread(CapturedOutput output) throws Exception {
		assertThat(post(Scheme.FORM_LOGIN, "/email", "alice").join().statusCode()).isEqualTo(500);
		assertThat(output).contains("principal.email", "UsernamePasswordAuthenticationToken", "Write principal.name.");
	}

	private CompletableFuture<HttpResponse<String>> post(Scheme scheme, String path, String user) throws Exception {
		return this.server.postAsync(scheme.path(path), scheme.headers(this.server, user));
	}

	private static void assertRunAs(String user, HttpResponse<String> response) {
		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(response.body()).isEqualTo(user + " " + user);
	}

}
