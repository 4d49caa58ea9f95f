package io.github.lockstarter.operation;

import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.Mockito;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.method.HandlerMethod;

import io.github.lockstarter.Lease;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

import static org.assertj.core.api.Assertions.assertThat;

class LockedMethodTests {

	private final LockOperationSource operations = TestOperations.source();

	@Test
	@DisplayName("Parameters for the lease are set, except for those that the caller has passed")
	void lease() {
		Lease lease = Mockito.mock(Lease.class);
		Lease passed = Mockito.mock(Lease.class);
		Object[] args = { null, "text", passed, null };
		of("leases").fillIn(lease, args);
		assertThat(args).containsExactly(lease, "text", passed, null);
		Object[] without = { null, null, null, null };
		of("leases").fillIn(null, without);
		assertThat(without).containsOnlyNulls();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "any", textBlock = """
			leases    | 1
			twoKeys   | 0,2
			condition | 0,1
			allArgs   | any
			replayed  | any
			compared  | 0
			""")
	@DisplayName("The parameters that the locks depend on are those of all keys and conditions, unless arguments are compared")
	void keyParameters(String method, @Nullable String positions) {
		Set<Integer> parameters = (method.equals("compared") ? compared() : of(method)).keyParameters();
		assertThat((parameters != null) ? String.join(",", parameters.stream().sorted().map(String::valueOf).toList())
				: null)
			.isEqualTo(positions);
	}

	@ParameterizedTest
	@CsvSource({ "leases, false, false, false, false", "header, false, true, false, false",
			"principal, false, true, true, false", "condition, false, true, true, false",
			"waiting, true, false, false, false", "replayed, false, true, true, false",
			"compared, false, true, true, true", "shared, true, true, false, false" })
	@DisplayName("It is known whether calls may wait, and whether they depend on the request, the principal or the content")
	void reads(String method, boolean waits, boolean request, boolean principal, boolean content) {
		LockedMethod locked = method.equals("compared") ? compared() : of(method);
		assertThat(locked.waits()).isEqualTo(waits);
		assertThat(locked.readsRequest()).isEqualTo(request);
		assertThat(locked.readsPrincipal()).isEqualTo(principal);
		assertThat(locked.readsContent()).isEqualTo(content);
	}

	@ParameterizedTest
	@CsvSource({ "view, true, false, false, false", "body, true, true, false, false",
			"response, true, true, true, true", "entity, true, true, true, true", "own, true, true, false, false",
			"later, true, false, false, true", "laterBody, true, true, false, false",
			"helper, false, false, false, false" })
	@DisplayName("Of a controller, it is known which methods are handlers, write a body, or have an entity")
	void handlers(String method, boolean mapped, boolean body, boolean entity, boolean emits) {
		LockedMethod locked = TestOperations.find(this.operations, Handlers.class, method);
		assertThat(locked.isMapped()).isEqualTo(mapped);
		assertThat(locked.writesBody()).isEqualTo(body);
		assertThat(locked.isHandlerOfEntity()).isEqualTo(entity);
		assertThat(locked.emitsEntity()).isEqualTo(emits);
	}

	@Test
	@DisplayName("A service has no handlers, whatever its methods return and are mapped to")
	void service() {
		LockedMethod entity = of("entity");
		assertThat(entity.isMapped()).isFalse();
		assertThat(entity.isHandlerOfEntity()).isFalse();
		assertThat(entity.writesBody()).isTrue();
	}

	@Test
	@DisplayName("The handler that a mapping has found is its method, or one that it overrides, of its class or the proxy's")
	void isHandler() throws Exception {
		LockedMethod locked = TestOperations.find(this.operations, Implementation.class, "handle");
		assertThat(locked.isHandler(new HandlerMethod(new Implementation(), locked.method()))).isTrue();
		assertThat(
				locked.isHandler(new HandlerMethod(new Implementation(), TestOperations.method(Api.class, "handle"))))
			.isTrue();
		assertThat(locked
			.isHandler(new HandlerMethod(new Implementation(), TestOperations.method(Implementation.class, "other"))))
			.isFalse();
		assertThat(locked.isHandler(new HandlerMethod(new Other(), TestOperations.method(Other.class, "handle"))))
			.isFalse();
		assertThat(locked.isHandler(new HandlerMethod(new Subclass(), locked.method()))).isFalse();
		assertThat(locked.isHandler(new Implementation())).isFalse();
		assertThat(locked.isHandler(null)).isFalse();
		LockedMethod ofInterface = TestOperations.find(this.operations, Api.class, "handle");
		assertThat(ofInterface.isHandler(new HandlerMethod(new Other(), ofInterface.method()))).isTrue();
	}

	/** A handler, whose requests are compared instead of its arguments. */
	private LockedMethod compared() {
		return TestOperations.find(this.operations, Handlers.class, "compared");
	}

	private LockedMethod of(String method) {
		return TestOperations.find(this.operations, Service.class, method);
	}

	static class Service {

		@ExclusiveRequest(key = "#text")
		public void leases(@Nullable Lease first, String text, @Nullable Lease second, @Nullable Object other) {
		}

		@ExclusiveRequest(name = "a", key = "#one")
		@ExclusiveRequest(name = "b", key = "#p2")
		public void twoKeys(String one, String two, String three) {
		}

		@ExclusiveRequest(key = "#two", condition = "#one != principal.name")
		public void condition(String one, String two) {
		}

		@ExclusiveRequest(key = "args[0]")
		public void allArgs(String one) {
		}

		@ExclusiveRequest(key = "#one", replay = "1h")
		public String replayed(String one, String two) {
			return "done";
		}

		@ExclusiveRequest(key = "header('X-Id')")
		public void header() {
		}

		@ExclusiveRequest(key = "principal.name")
		public void principal() {
		}

		@ExclusiveRequest(key = "#one", onConflict = OnConflict.WAIT)
		public void waiting(String one) {
		}

		@ExclusiveRequest(key = "#one", onConflict = OnConflict.SHARE)
		public String shared(String one) {
			return "done";
		}

		@PostMapping("/")
		@ExclusiveRequest
		public ResponseEntity<String> entity() {
			return ResponseEntity.ok("done");
		}

	}

	@Controller
	static class Handlers {

		@PostMapping("/1")
		@ExclusiveRequest
		public String view() {
			return "view";
		}

		@PostMapping("/2")
		@ResponseBody
		@ExclusiveRequest
		public String body() {
			return "done";
		}

		@PostMapping("/3")
		@ExclusiveRequest
		public ResponseEntity<String> response() {
			return ResponseEntity.ok("done");
		}

		@PostMapping("/4")
		@ExclusiveRequest
		public HttpEntity<String> entity() {
			return new HttpEntity<>("done");
		}

		@PostMapping("/5")
		@ExclusiveRequest
		public OwnEntity own() {
			return new OwnEntity();
		}

		@PostMapping("/6")
		@ExclusiveRequest
		public Mono<ResponseEntity<String>> later() {
			return Mono.just(ResponseEntity.ok("done"));
		}

		@PostMapping("/7")
		@ResponseBody
		@ExclusiveRequest
		public CompletableFuture<ResponseEntity<String>> laterBody() {
			return CompletableFuture.completedFuture(ResponseEntity.ok("done"));
		}

		@PostMapping("/8")
		@ResponseBody
		@ExclusiveRequest(key = "#one", replay = "1h")
		public String compared(String one, String two) {
			return "done";
		}

		@ExclusiveRequest
		public String helper() {
			return "done";
		}

	}

	static class OwnEntity extends HttpEntity<String> {

	}

	interface Api {

		@ExclusiveRequest
		String handle(String id);

	}

	@Controller
	static class Implementation implements Api {

		@Override
		@PostMapping("/handle")
		public String handle(String id) {
			return "done";
		}

		@ExclusiveRequest
		public String other() {
			return "done";
		}

	}

	/** It has a lock of its own, by its own name. */
	static class Subclass extends Implementation {

	}

	static class Other implements Api {

		@Override
		public String handle(String id) {
			return "done";
		}

	}

}
