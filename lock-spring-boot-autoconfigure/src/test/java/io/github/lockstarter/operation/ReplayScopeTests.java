package io.github.lockstarter.operation;

import java.security.Principal;
import java.util.List;
import java.util.Map;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import org.slf4j.LoggerFactory;

import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.authority.AuthorityUtils;

import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.key.ArgumentFingerprint;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.key.Fingerprint;
import io.github.lockstarter.key.FingerprintParts;
import io.github.lockstarter.key.IdempotencyKeyHeader;
import io.github.lockstarter.key.LockInvocation;
import io.github.lockstarter.key.RequestContent;
import io.github.lockstarter.key.RequestFingerprint;
import io.github.lockstarter.result.Caller;
import io.github.lockstarter.result.KeptResponses;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Whose calls, and with which content, are repetitions of each other.
 */
class ReplayScopeTests {

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	private final CurrentRequest request = Mockito.mock(CurrentRequest.class);

	private AnonymousReplay anonymous = AnonymousReplay.ALLOW;

	private @Nullable String secret;

	private final ReplayScope ofHandler = scope(new RequestFingerprint(FingerprintParts.ALL));

	private final ReplayScope ofService = scope(null);

	@BeforeEach
	void openLog() {
		this.log.start();
		logger().addAppender(this.log);
	}

	@AfterEach
	void closeLog() {
		logger().detachAppender(this.log);
	}

	@Test
	@DisplayName("Of a handler, requests with the same content are repetitions, whatever its arguments are")
	void requests() {
		content("one");
		Caller first = this.ofHandler.of(call("a"));
		assertThat(this.ofHandler.of(call("b"))).isEqualTo(first);
		content("other");
		assertThat(this.ofHandler.of(call("a"))).isNotEqualTo(first);
		assertThat(this.ofHandler.comparesRequests()).isTrue();
	}

	@Test
	@DisplayName("If other code calls the handler, so that no content is known, its arguments are compared")
	void handlerCalledByCode() {
		Caller first = this.ofHandler.of(call("a"));
		assertThat(this.ofHandler.of(call("a"))).isEqualTo(first);
		assertThat(this.ofHandler.of(call("b"))).isNotEqualTo(first);
	}

	@Test
	@DisplayName("Of another method, calls with the same arguments are repetitions, and the content of the request is not read")
	void arguments() {
		Caller first = this.ofService.of(call("a"));
		assertThat(this.ofService.of(call("a"))).isEqualTo(first);
		assertThat(this.ofService.of(call("b"))).isNotEqualTo(first);
		assertThat(this.ofService.comparesRequests()).isFalse();
		Mockito.verify(this.request, Mockito.never()).content();
	}

	@Test
	@DisplayName("The call of another principal is no repetition, and finds nothing of the first one's")
	void principals() {
		Caller nobody = this.ofService.of(call("a"));
		Caller alice = this.ofService.of(callOf("alice"));
		assertThat(this.ofService.of(callOf("alice"))).isEqualTo(alice);
		assertThat(List.of(nobody.principal(), alice.principal(), this.ofService.of(callOf("bob")).principal(),
				this.ofService.of(callOf("")).principal()))
			.doesNotHaveDuplicates();
	}

	@Test
	@DisplayName("Everybody who has not authenticated is nobody")
	void anonymousAuthentication() {
		Caller nobody = this.ofService.of(call("a"));
		Mockito.when(this.request.principal())
			.thenReturn(new AnonymousAuthenticationToken("key", "anonymousUser",
					AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS")));
		assertThat(this.ofService.of(call("a"))).isEqualTo(nobody);
	}

	@Test
	@DisplayName("A request without a principal can be rejected, and then runs not at all; a call outside of a request is not")
	void rejected() {
		this.anonymous = AnonymousReplay.REJECT;
		assertThatExceptionOfType(MissingLockKeyException.class).isThrownBy(() -> this.ofHandler.of(call("a")))
			.withMessageContaining("Responses under lock 'pay' are replayed, but the request has no principal");
		assertThat(this.ofHandler.of(callOf("alice"))).isNotNull();
		assertThat(this.ofService.of(call("a", CurrentRequest.NONE))).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "Authorization", "Proxy-Authorization", "X-API-Key", "X-Auth-Token" })
	@DisplayName("Without a principal, credentials count like content: for others the key is taken, so they neither receive the response nor run")
	void credentials(String header) {
		Caller without = this.ofHandler.of(call("a"));
		header(header, "one");
		Caller one = this.ofHandler.of(call("a"));
		assertThat(this.ofHandler.of(call("a"))).isEqualTo(one);
		header(header, "other");
		Caller other = this.ofHandler.of(call("a"));
		assertThat(List.of(without.arguments(), one.arguments(), other.arguments())).doesNotHaveDuplicates();
		assertThat(List.of(without.principal(), one.principal(), other.principal())).containsOnly("");
	}

	@Test
	@DisplayName("The application is told once that it checks credentials itself")
	void warning() {
		this.ofHandler.of(call("a"));
		assertThat(this.log.list).isEmpty();
		header("X-API-Key", "secret");
		this.ofHandler.of(call("a"));
		this.ofHandler.of(call("b"));
		assertThat(this.log.list).singleElement()
			.extracting(ILoggingEvent::getFormattedMessage)
			.asString()
			.startsWith("A request under lock 'pay' carries credentials, but has no principal")
			.doesNotContain("secret");
	}

	@Test
	@DisplayName("With a principal, the credentials are another token of the same user, and need no warning")
	void credentialsOfPrincipal() {
		header("Authorization", "one");
		Caller alice = this.ofHandler.of(callOf("alice"));
		header("Authorization", "other");
		assertThat(this.ofHandler.of(callOf("alice"))).isEqualTo(alice);
		assertThat(this.log.list).isEmpty();
	}

	@Test
	@DisplayName("What is stored of the content is a digest, with the secret key of the application if it has one")
	void digest() {
		header("X-API-Key", "password");
		String plain = this.ofService.of(call("content")).arguments();
		this.secret = "0123456789abcdef";
		String keyed = this.ofService.of(call("content")).arguments();
		this.secret = "fedcba9876543210";
		assertThat(List.of(plain, keyed, this.ofService.of(call("content")).arguments())).doesNotHaveDuplicates()
			.noneMatch((digest) -> digest.contains("content") || digest.contains("password"));
	}

	private ReplayScope scope(@Nullable RequestFingerprint ofRequests) {
		return new ReplayScope("pay",
				() -> new ReplaySettings(KeptResponses.VALUES, 255, new Fingerprint(this.secret), this.anonymous),
				ofRequests,
				() -> new ArgumentFingerprint(TestOperations.method(getClass(), "pay"), ReplayScopeTests.class));
	}

	private void content(String body) {
		RequestContent.Body sent = new RequestContent.Body("text/plain", body.getBytes());
		Mockito.when(this.request.content())
			.thenReturn(new RequestContent("POST", Map.of(), Map.of(), sent, List.of()));
	}

	private void header(String name, String value) {
		Mockito.when(this.request.headers(name)).thenReturn(List.of(value));
	}

	private LockInvocation callOf(String principal) {
		Principal named = () -> principal;
		Mockito.when(this.request.principal()).thenReturn(named);
		return call("a");
	}

	private LockInvocation call(String argument) {
		return call(argument, this.request);
	}

	private static LockInvocation call(String argument, CurrentRequest request) {
		return new LockInvocation(TestOperations.method(ReplayScopeTests.class, "pay"), new Object[] { argument },
				request, new IdempotencyKeyHeader("pay", 255));
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger(ReplayScope.class);
	}

	void pay(String argument) {
	}

}
