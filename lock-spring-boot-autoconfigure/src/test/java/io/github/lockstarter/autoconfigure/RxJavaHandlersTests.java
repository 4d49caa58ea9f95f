package io.github.lockstarter.autoconfigure;

import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Single;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Reactive types that do not propagate the Reactor context.
 */
class RxJavaHandlersTests {

	@Test
	@DisplayName("In WebFlux, a handler with an RxJava type that needs the request prevents startup")
	void needsRequest() {
		assertThatThrownBy(() -> start("reactive", Replaying.class).close())
			.isInstanceOf(LockConfigurationException.class)
			.hasMessageContaining("Replaying.single")
			.hasMessageContaining("in Spring WebFlux");
	}

	@Test
	@DisplayName("A handler with an RxJava type that does not need the request has its lock in both web stacks, even if the type is a Publisher")
	void needsNone() throws Exception {
		for (String type : new String[] { "servlet", "reactive" }) {
			try (TestServer server = start(type, Plain.class)) {
				assertThat(server.post("/flowable?key=k").body()).as(type).contains("done");
			}
		}
	}

	@Test
	@DisplayName("In Spring MVC, a handler with an RxJava type can need the request")
	void inMvc() throws Exception {
		try (TestServer server = start("servlet", Replaying.class)) {
			assertThat(server.post("/single?key=k").body()).isEqualTo("done");
			assertThat(server.post("/single?key=k").headers().firstValue("Idempotent-Replayed")).hasValue("true");
		}
	}

	private static TestServer start(String type, Class<?> controller) {
		return TestServer.start(new Class<?>[] { TestServer.Application.class, controller }, "lock.store=memory",
				"spring.main.web-application-type=" + type);
	}

	@RestController
	static class Replaying {

		@PostMapping("/single")
		@ExclusiveRequest(name = "rx", key = "#key", replay = "1h")
		Single<String> single(@RequestParam String key) {
			return Single.just("done");
		}

	}

	@RestController
	static class Plain {

		@PostMapping("/flowable")
		@ExclusiveRequest(name = "rx", key = "#key")
		Flowable<String> flowable(@RequestParam String key) {
			return Flowable.just("done");
		}

	}

}
