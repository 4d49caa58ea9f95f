package io.github.lockstarter.operation;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.Mockito;

import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.key.RequestContent;
import io.github.lockstarter.result.Caller;
import io.github.lockstarter.result.SharedCall;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which callers receive the result of a call, as its annotation says.
 */
class SharingTests {

	private final LockOperationSource operations = TestOperations.source();

	private final CurrentRequest request = Mockito.mock(CurrentRequest.class);

	@Test
	@DisplayName("A value is shared with all callers, of whatever request")
	void value() {
		accept("text/html");
		assertThat(callerOf(Service.class, "share")).isEqualTo(Caller.ANY);
	}

	@Test
	@DisplayName("A response is shared with requests that accept the same media types; others find none, and are not rejected")
	void response() {
		assertThat(callerOf(Handlers.class, "share")).isEqualTo(Caller.ANY);
		accept("text/html");
		Caller html = callerOf(Handlers.class, "share");
		assertThat(html).isNotEqualTo(Caller.ANY).isEqualTo(callerOf(Handlers.class, "share"));
		accept("application/json");
		Caller json = callerOf(Handlers.class, "share");
		assertThat(json.principal()).isNotEqualTo(html.principal());
		assertThat(json.arguments()).isEqualTo(html.arguments());
	}

	@Test
	@DisplayName("A replayed result is for repetitions only, whatever they accept")
	void repetitions() {
		for (Class<?> type : List.of(Service.class, Handlers.class)) {
			Caller first = callerOf(type, "replay");
			assertThat(first).isNotEqualTo(Caller.ANY);
			accept("text/html");
			assertThat(callerOf(type, "replay")).isEqualTo(first);
		}
		Mockito.when(this.request.content())
			.thenReturn(new RequestContent("POST", Map.of(), Map.of(), RequestContent.Body.EMPTY, List.of()));
		assertThat(callerOf(Handlers.class, "replay")).isNotEqualTo(callerOf(Service.class, "replay"));
	}

	@Test
	@DisplayName("Requests are compared by the parts that the annotation names")
	void parts() {
		Mockito.when(this.request.content())
			.thenReturn(new RequestContent("POST", Map.of(), Map.of(), RequestContent.Body.EMPTY, List.of()));
		Mockito.when(this.request.headers("x-tenant")).thenReturn(List.of("one"));
		Caller first = callerOf(Handlers.class, "replayOfTenant");
		Caller ofAll = callerOf(Handlers.class, "replay");
		Mockito.when(this.request.headers("x-tenant")).thenReturn(List.of("other"));
		assertThat(callerOf(Handlers.class, "replayOfTenant")).isNotEqualTo(first);
		assertThat(callerOf(Handlers.class, "replay")).isEqualTo(ofAll);
	}

	@ParameterizedTest
	@CsvSource({ "share, false, false, false", "replay, true, true, false" })
	@DisplayName("Of a handler that replays, the principal and the content are read, and not the arguments")
	void handler(String method, boolean principal, boolean content, boolean arguments) {
		Sharing sharing = sharing(Handlers.class, method);
		assertThat(sharing.readsPrincipal()).isEqualTo(principal);
		assertThat(sharing.readsContent()).isEqualTo(content);
		assertThat(sharing.readsArguments()).isEqualTo(arguments);
	}

	@ParameterizedTest
	@CsvSource({ "share, false, false, false", "replay, true, false, true" })
	@DisplayName("Of another method that replays, the arguments instead of the content")
	void service(String method, boolean principal, boolean content, boolean arguments) {
		Sharing sharing = sharing(Service.class, method);
		assertThat(sharing.readsPrincipal()).isEqualTo(principal);
		assertThat(sharing.readsContent()).isEqualTo(content);
		assertThat(sharing.readsArguments()).isEqualTo(arguments);
	}

	@Test
	@DisplayName("Under the lock without a key, which is for calls with binding errors, nothing is shared")
	void withoutKey() {
		LockedMethod method = TestOperations.find(this.operations, Handlers.class, "share");
		assertThat(method.operations()
			.get(0)
			.shared(new LockKey("a", ""), method.invocation(new Object[] { "1" }, this.request))).isNull();
	}

	private void accept(String mediaType) {
		Mockito.when(this.request.headers(HttpHeaders.ACCEPT)).thenReturn(List.of(mediaType));
	}

	private Caller callerOf(Class<?> type, String name) {
		LockedMethod method = TestOperations.find(this.operations, type, name);
		SharedCall shared = method.operations()
			.get(0)
			.shared(LockKey.of("a:1"), method.invocation(new Object[] { "1" }, this.request));
		assertThat(shared).isNotNull();
		return shared.caller();
	}

	private Sharing sharing(Class<?> type, String name) {
		Sharing sharing = TestOperations.find(this.operations, type, name).operations().get(0).sharing();
		assertThat(sharing).isNotNull();
		return sharing;
	}

	static class Service {

		@ExclusiveRequest(name = "a", key = "#id", onConflict = OnConflict.SHARE)
		public String share(String id) {
			return "done";
		}

		@ExclusiveRequest(name = "a", key = "#id", replay = "1h")
		public String replay(String id) {
			return "done";
		}

	}

	@RestController
	static class Handlers {

		@PostMapping("/share")
		@ExclusiveRequest(name = "a", key = "#id", onConflict = OnConflict.SHARE)
		public String share(String id) {
			return "done";
		}

		@PostMapping("/tenant")
		@ExclusiveRequest(name = "a", key = "#id", replay = "1h", fingerprint = "+header.X-Tenant")
		public String replayOfTenant(String id) {
			return "done";
		}

		@PostMapping("/replay")
		@ExclusiveRequest(name = "a", key = "#id", replay = "1h")
		public String replay(String id) {
			return "done";
		}

	}

}
