package io.github.lockstarter.result;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import org.springframework.core.ResolvableType;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.unit.DataSize;
import org.springframework.web.ErrorResponseException;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.result.SharedResult.Response;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * The texts that are written for other callers, and the reports of those that are not.
 */
class ResultSharingTests {

	private static final Caller CALLER = new Caller("user alice", "print");

	private static final Response RESPONSE = response(200);

	private final LockEventCounter counts = new LockEventCounter();

	private final List<String> asked = new ArrayList<>();

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	private ResultPredicate predicate = new ResultPredicate() {

		@Override
		public boolean isShared(String lockName, @Nullable Object result, HttpStatusCode status) {
			ResultSharingTests.this.asked.add("%s %s %d".formatted(lockName, result, status.value()));
			return status.value() != 404;
		}

		@Override
		public boolean mayKeep(String lockName, Throwable failure) {
			ResultSharingTests.this.asked.add("%s %s".formatted(lockName, failure.getMessage()));
			return !"free".equals(failure.getMessage());
		}

	};

	private long storeLimit = Long.MAX_VALUE;

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
	@DisplayName("A value is written as JSON after its head, for the content of its call")
	void value() {
		String written = ofBean(null).writeValue(CALLER, "one", null);
		assertThat(written).endsWith("\n\"one\"\n");
		assertThat(ResultText.parse(written).head().fingerprint()).isEqualTo("print");
		assertThat(this.counts.lockNames()).isEmpty();
	}

	@Test
	@DisplayName("A response is written as it was sent, for the content of its request")
	void response() {
		ResultText written = ResultText.parse(ofHandler(null).writeResponse(CALLER, RESPONSE, "value"));
		assertThat(written.response()).isEqualTo(RESPONSE);
		assertThat(written.head().fingerprint()).isEqualTo("print");
	}

	@Test
	@DisplayName("Only the responses to handlers are shared instead of their values")
	void sharesResponses() {
		assertThat(ofHandler(null).sharesResponses()).isTrue();
		assertThat(ofBean(null).sharesResponses()).isFalse();
	}

	@ParameterizedTest
	@MethodSource("values")
	@DisplayName("The predicate is asked with the status of the value, that which the handler has set, or 200")
	void statusOfValue(Object value, @Nullable Integer set, int status) {
		ofHandler(null).isShared(value, set);
		assertThat(this.asked).containsExactly("lock %s %d".formatted(value, status));
	}

	static Stream<Arguments> values() {
		ProblemDetail problem = ProblemDetail.forStatus(402);
		return Stream.of(Arguments.of("plain", null, 200), Arguments.of("plain", 202, 202),
				Arguments.of(ResponseEntity.status(201).body("b"), null, 201),
				Arguments.of(ResponseEntity.status(201).body("b"), 202, 201),
				Arguments.of(new HttpEntity<>("b"), 202, 202), Arguments.of(problem, 200, 402),
				Arguments.of(new HttpEntity<>(problem), 200, 402),
				Arguments.of(new ErrorResponseException(HttpStatus.GONE), 200, 410));
	}

	@Test
	@DisplayName("A result that the predicate rejects is not written, and is no problem")
	void rejected() {
		for (ReplayRetention replay : new ReplayRetention[] { null, replay("values") }) {
			assertThat(ofBean(replay).writeValue(CALLER, "one", 404)).isNull();
			assertThat(ofHandler(replay).writeResponse(CALLER, response(404), "one")).isNull();
			assertThat(ofHandler(replay).isShared("one", 404)).isFalse();
			assertThat(ofHandler(replay).isShared("one", 200)).isTrue();
		}
		assertThat(this.counts.lockNames()).isEmpty();
		assertThat(warnings()).isEmpty();
	}

	@Test
	@DisplayName("Where statuses are listed, they decide, and the predicate is not asked")
	void listed() {
		ResultSharing listed = ofHandler(replay("2xx, 404"));
		assertThat(listed.writeResponse(CALLER, response(404), null)).isNotNull();
		assertThat(listed.writeResponse(CALLER, response(409), null)).isNull();
		assertThat(listed.isShared("one", 404)).isTrue();
		assertThat(listed.isShared("one", 302)).isFalse();
		assertThat(this.asked).isEmpty();
	}

	@Test
	@DisplayName("The response to a failure is kept only where statuses are listed, and the predicate agrees")
	void failures() {
		assertThat(ofHandler(null).keepsResponseTo(new IllegalStateException("paid"))).isFalse();
		assertThat(ofHandler(replay("values")).keepsResponseTo(new IllegalStateException("paid"))).isFalse();
		assertThat(this.asked).isEmpty();
		assertThat(ofHandler(replay("402")).keepsResponseTo(new IllegalStateException("paid"))).isTrue();
		assertThat(ofHandler(replay("all")).keepsResponseTo(new IllegalStateException("free"))).isFalse();
		assertThat(this.asked).containsExactly("lock paid", "lock free");
	}

	@Test
	@DisplayName("Each end of the work is kept only with 'all'")
	void keepsAll() {
		assertThat(ofHandler(replay("all")).keepsAll()).isTrue();
		assertThat(ofHandler(replay("2xx,3xx,4xx,5xx")).keepsAll()).isFalse();
		assertThat(ofHandler(replay("values")).keepsAll()).isFalse();
		assertThat(ofHandler(null).keepsAll()).isFalse();
	}

	@Test
	@DisplayName("If the predicate throws, a replay leaves a text that says so, others run, and the failure of the work is not kept")
	void predicateThrows() {
		this.predicate = new ResultPredicate() {

			@Override
			public boolean isShared(String lockName, @Nullable Object result, HttpStatusCode status) {
				throw new LinkageError("as asked");
			}

			@Override
			public boolean mayKeep(String lockName, Throwable failure) {
				throw new LinkageError("as asked");
			}

		};
		assertThat(ofBean(replay("values")).writeValue(CALLER, "one", null)).isEqualTo(ResultText.unavailable("print"));
		assertThat(ofBean(null).writeValue(CALLER, "one", null)).isNull();
		assertThat(ofBean(null).isShared("one", null)).isFalse();
		assertThat(this.counts.get("lock", Event.NOT_WRITABLE)).isEqualTo(2);
		assertThat(ofHandler(replay("all")).keepsResponseTo(new IllegalStateException())).isFalse();
		assertThat(this.counts.get("lock", Event.NOT_WRITABLE)).isEqualTo(3);
	}

	@Test
	@DisplayName("A result that is too large leaves a text that says so if it is to be replayed; the message names the limit")
	void tooLarge() {
		String large = "x".repeat(2000);
		Response response = Response.withBody(new ResponseHead(200, Map.of()), large.getBytes());
		assertThat(ofBean(null).writeValue(CALLER, large, null)).isNull();
		assertThat(ofBean(replay("values")).writeValue(CALLER, large, null)).isEqualTo(ResultText.unavailable("print"));
		assertThat(ofHandler(replay("all")).writeResponse(CALLER, response, null))
			.isEqualTo(ResultText.unavailable("print"));
		assertThat(this.counts.get("lock", Event.TOO_LARGE)).isEqualTo(3);
		assertThat(warnings()).hasSize(3)
			.allSatisfy((warning) -> assertThat(warning).contains("lock.share.max-size, which is 1000B",
					"under lock 'lock'"));
		assertThat(warnings().get(0)).contains("and is not shared");
		assertThat(warnings().get(1)).contains("and its duplicates are rejected");
	}

	@Test
	@DisplayName("If the store keeps less than the settings allow, its limit counts, and is named")
	void limitOfStore() {
		this.storeLimit = 300;
		assertThat(ofBean(null).writeValue(CALLER, "x".repeat(500), null)).isNull();
		assertThat(this.counts.get("lock", Event.TOO_LARGE)).isEqualTo(1);
		assertThat(warnings()).singleElement().asString().contains("the store can keep, which is 300 bytes");
	}

	@Test
	@DisplayName("A value that cannot be written leaves a text that says so if it is to be replayed")
	void notWritable() {
		assertThat(ofBean(null).writeValue(CALLER, new Unwritable(), null)).isNull();
		assertThat(ofBean(replay("values")).writeValue(CALLER, new Unwritable(), null))
			.isEqualTo(ResultText.unavailable("print"));
		assertThat(this.counts.get("lock", Event.NOT_WRITABLE)).isEqualTo(2);
		assertThat(this.counts.get("lock", Event.TOO_LARGE)).isZero();
	}

	@Test
	@DisplayName("Each problem is counted; the first of a kind is a warning that does not quote the result, and the later ones are not")
	void oneWarning() {
		ResultSharing sharing = ofBean(null);
		for (int i = 0; i < 3; i++) {
			sharing.writeValue(CALLER, new Unwritable(), null);
			sharing.writeValue(CALLER, "x".repeat(2000), null);
			sharing.reportDropped("It was rolled back");
		}
		for (Event event : List.of(Event.NOT_WRITABLE, Event.TOO_LARGE, Event.NOT_KEPT)) {
			assertThat(this.counts.get("lock", event)).isEqualTo(3);
		}
		assertThat(warnings()).hasSize(3).noneMatch((warning) -> warning.contains("secret"));
	}

	@Test
	@DisplayName("A result that would not be the same for others leaves a text that says so if it is to be replayed")
	void lost() {
		assertThat(ofHandler(null).writeLost(CALLER, "It is for one client")).isNull();
		assertThat(ofHandler(replay("all")).writeLost(CALLER, "It is for one client"))
			.isEqualTo(ResultText.unavailable("print"));
		assertThat(this.counts.get("lock", Event.NOT_WRITABLE)).isEqualTo(2);
		assertThat(warnings()).hasSize(2).allMatch((warning) -> warning.contains("It is for one client"));
	}

	@Test
	@DisplayName("A result that is not known yet leaves a text that says so if it is to be replayed, and is no problem")
	void pending() {
		assertThat(ofHandler(null).writePending(CALLER)).isNull();
		assertThat(ofHandler(replay("all")).writePending(CALLER)).isEqualTo(ResultText.unavailable("print"));
		assertThat(this.counts.lockNames()).isEmpty();
	}

	@Test
	@DisplayName("A result that was dropped with its transaction is counted as such")
	void dropped() {
		ofHandler(replay("all")).reportDropped("Its transaction was rolled back");
		assertThat(this.counts.get("lock", Event.NOT_KEPT)).isEqualTo(1);
		assertThat(warnings()).singleElement()
			.asString()
			.contains("a duplicate runs: Its transaction was rolled back", "ResultSharingTests.value()");
	}

	@ParameterizedTest
	@ValueSource(classes = { Stream.class, Object.class })
	@DisplayName("A type that cannot be shared is an error, unless it is that of a handler, whose response is shared")
	void types(Class<?> type) {
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> of(type, false, null).check())
			.withMessageContaining("ResultSharingTests.value() cannot share or replay");
		assertThatNoException().isThrownBy(() -> of(type, true, null).check());
	}

	@Test
	@DisplayName("A property that is lost when a value is read is an error, unless the type is that of a handler")
	void lostProperty() {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> of(LostPropertiesTests.ReadOnly.class, false, null).check())
			.withMessageContaining("'id'");
		assertThatNoException().isThrownBy(() -> of(LostPropertiesTests.ReadOnly.class, true, null).check());
	}

	private ResultSharing ofBean(@Nullable ReplayRetention replay) {
		return of(String.class, false, replay);
	}

	private ResultSharing ofHandler(@Nullable ReplayRetention replay) {
		return of(String.class, true, replay);
	}

	private ResultSharing of(Class<?> type, boolean ofHandler, @Nullable ReplayRetention replay) {
		return new SharingSettings(Duration.ofSeconds(5), DataSize.ofBytes(1000),
				new TestSharingContext(this.predicate, this.counts, this.storeLimit))
			.of("lock", ReflectionUtils.findMethod(getClass(), "value"),
					new ResultType(getClass(), ResolvableType.forClass(type), false, ofHandler, true), replay);
	}

	private static ReplayRetention replay(String keep) {
		return new ReplayRetention(Duration.ofHours(1), KeptResponses.parse(keep));
	}

	private static Response response(int status) {
		return Response.withBody(new ResponseHead(status, Map.of("ETag", List.of("1"))), "body".getBytes());
	}

	private List<String> warnings() {
		return this.log.list.stream()
			.filter((event) -> event.getLevel() == Level.WARN)
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger(ResultSharing.class);
	}

	static class Unwritable {

		public String getText() {
			throw new IllegalArgumentException("secret");
		}

	}

}
