package io.github.lockstarter;

import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

import io.github.lockstarter.LockConflictException.ConflictReason;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LockConflictExceptionTests {

	private static final LockKey KEY = new LockKey("team", "secret");

	private static final LockOptions AT_ONCE = LockOptions.of(Duration.ofSeconds(5));

	private static final Duration RETRY_AFTER = Duration.ofMillis(1840);

	@Test
	@DisplayName("A conflict has the reason of the rejection, and status 409")
	void reasons() {
		assertProblem(new LockConflictException(KEY, AT_ONCE, RETRY_AFTER), "request-in-progress");
		LockOptions waiting = AT_ONCE.withWaitTime(Duration.ofSeconds(1));
		assertProblem(new LockConflictException(KEY, waiting, RETRY_AFTER), "wait-timeout");
		assertProblem(new LockConflictException(KEY, ConflictReason.QUEUE_FULL, RETRY_AFTER, null), "wait-queue-full");
	}

	@Test
	@DisplayName("A conflict with another status has it in its body, too, and differs in nothing else")
	void status() {
		LockConflictException usual = new LockConflictException(KEY, AT_ONCE, RETRY_AFTER);
		LockConflictException conflict = usual.withStatusCode(HttpStatus.UNPROCESSABLE_CONTENT);
		assertThat(usual.getStatusCode()).isEqualTo(HttpStatus.CONFLICT);
		assertThat(usual.getBody().getStatus()).isEqualTo(409);
		assertThat(usual.hasOwnStatusCode()).isFalse();
		assertThat(conflict.hasOwnStatusCode()).isTrue();
		assertThat(conflict).hasMessage(usual.getMessage());
		assertThat(conflict.getKey()).isEqualTo(KEY);
		assertThat(conflict.getConflictReason()).isEqualTo(ConflictReason.HELD);
		assertThat(conflict.getStatusCode()).isEqualTo(HttpStatus.UNPROCESSABLE_CONTENT);
		assertThat(conflict.updateAndGetBody(null, Locale.ENGLISH).getStatus()).isEqualTo(422);
		assertThat(conflict.getBody().getTitle()).isEqualTo("Request already in progress");
		assertThat(conflict.getBody().getProperties()).containsEntry("retryAfterMillis", 1840L);
		assertThat(conflict.getHeaders().getFirst("Retry-After")).isEqualTo("2");
	}

	@Test
	@DisplayName("Requests that get the same conflict each get a body in their language, and the conflict stays as it is")
	void languages() {
		LockConflictException conflict = new LockConflictException(KEY, AT_ONCE, RETRY_AFTER);
		conflict.getBody().setInstance(URI.create("/users"));
		String before = conflict.getBody().toString();
		ProblemDetail english = conflict.localizedBody(null, Locale.ENGLISH);
		ProblemDetail japanese = conflict.localizedBody(null, Locale.JAPANESE);
		japanese.setProperty("added", "later");
		japanese.setType(URI.create("https://example.com/conflict"));
		assertThat(english.getTitle()).isEqualTo("Request already in progress").isNotEqualTo(japanese.getTitle());
		assertThat(english.getDetail()).isNotNull().isNotEqualTo(japanese.getDetail());
		assertThat(english.getInstance()).isEqualTo(URI.create("/users"));
		assertThat(english.getStatus()).isEqualTo(409);
		assertThat(english.getProperties()).containsOnlyKeys("retryAfterMillis");
		assertThat(conflict.getBody()).hasToString(before);
	}

	@Test
	@DisplayName("A conflict with another status keeps what others have added to it, also that of a deadlock")
	void additions() {
		assertThat(Stream.of(new LockConflictException(KEY, AT_ONCE, RETRY_AFTER),
				new LockDeadlockException(KEY, "a cycle")))
			.allSatisfy((conflict) -> {
				conflict.getBody().setProperty("holder", "jiro");
				conflict.getBody().setInstance(URI.create("/users"));
				conflict.addSuppressed(new IllegalStateException("not released"));
				LockConflictException changed = conflict.withStatusCode(HttpStatus.LOCKED);
				assertThat(changed).hasSameClassAs(conflict).hasMessage(conflict.getMessage());
				assertThat(changed.getBody().getProperties()).isEqualTo(conflict.getBody().getProperties());
				assertThat(changed.getBody().getInstance()).isEqualTo(conflict.getBody().getInstance());
				assertThat(changed.getSuppressed()).containsExactly(conflict.getSuppressed());
				assertThat(changed.withStatusCode(HttpStatus.LOCKED)).isSameAs(changed);
			});
	}

	@Test
	@DisplayName("A conflict has no status that a client takes for success")
	void success() {
		LockConflictException conflict = new LockConflictException(KEY, AT_ONCE, RETRY_AFTER);
		assertThatIllegalArgumentException().isThrownBy(() -> conflict.withStatusCode(HttpStatus.OK))
			.withMessage("A conflict needs a status of an error, such as 409 or 422, not 200 OK");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new LockConflictException(KEY, ConflictReason.HELD, RETRY_AFTER, HttpStatus.NO_CONTENT));
	}

	private static void assertProblem(LockConflictException conflict, String type) {
		assertThat(conflict.getBody().getType()).hasToString("https://lockstarter.github.io/problems/" + type);
		assertThat(conflict.getRetryAfter()).isEqualTo(RETRY_AFTER);
		assertThat(conflict.hasOwnStatusCode()).isFalse();
		assertThat(conflict.getStatusCode()).isEqualTo(HttpStatus.CONFLICT);
		assertThat(conflict.getBody().getStatus()).isEqualTo(409);
		assertThat(conflict).hasMessageContaining("team").hasMessageNotContaining("secret");
	}

}
