package io.github.lockstarter.result;

import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

import io.github.lockstarter.testing.ProcessorTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

class ResultFormatTests {

	@ParameterizedTest
	@MethodSource
	@DisplayName("A deserialized value equals the original, and has the same class")
	void roundTrip(ResolvableType type, Object value) {
		Object read = readAgain(one(type), value);
		assertThat(read).isEqualTo(value).hasSameClassAs(value);
	}

	static Stream<Arguments> roundTrip() {
		Order order = new Order("A-1", 2, new BigDecimal("1.50"));
		return Stream.of(arguments(String.class, "täro\n\"1\" \u0000 😀"), arguments(String.class, ""),
				arguments(int.class, 7), arguments(Long.class, Long.MAX_VALUE), arguments(boolean.class, true),
				arguments(char.class, 'c'), arguments(double.class, 1.25), arguments(BigDecimal.class, order.price()),
				arguments(byte[].class, new byte[] { 0, -1, 127 }), arguments(int[].class, new int[] { 1, 2 }),
				arguments(Order[].class, new Order[] { order }), arguments(Size.class, Size.LARGE),
				arguments(UUID.class, UUID.randomUUID()),
				arguments(Instant.class, Instant.parse("2026-11-21T01:02:03.123456789Z")),
				arguments(LocalDate.class, LocalDate.of(2026, 11, 21)),
				arguments(OffsetDateTime.class, OffsetDateTime.parse("2026-11-21T01:02:03Z")),
				arguments(Duration.class, Duration.ofMillis(1500)), arguments(Order.class, order),
				arguments(OptionalInt.class, OptionalInt.of(3)),
				arguments(new ParameterizedTypeReference<Optional<Order>>() {
				}, Optional.of(order)), arguments(new ParameterizedTypeReference<Optional<Order>>() {
				}, Optional.empty()), arguments(new ParameterizedTypeReference<Boxed<Order>>() {
				}, new Boxed<>(order)), arguments(Node.class, new Node("a", List.of(new Node("b", List.of())))));
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("Collections are deserialized with all elements, as the declared type")
	void collections(ResolvableType type, Object value) {
		assertThat(readAgain(one(type), value)).isEqualTo(value);
	}

	static Stream<Arguments> collections() {
		Order order = new Order("A-1", 2, new BigDecimal("1.50"));
		return Stream.of(arguments(new ParameterizedTypeReference<List<Order>>() {
		}, List.of(order, order)), arguments(new ParameterizedTypeReference<List<Order>>() {
		}, Arrays.asList(order, null)), arguments(new ParameterizedTypeReference<Map<String, Order>>() {
		}, Map.of("a", order)), arguments(new ParameterizedTypeReference<Map<LocalDate, List<Order>>>() {
		}, Map.of(LocalDate.of(2026, 1, 2), List.of(order))), arguments(new ParameterizedTypeReference<Set<Size>>() {
		}, Set.of(Size.SMALL)), arguments(new ParameterizedTypeReference<List<Optional<Order>>>() {
		}, List.of(Optional.empty(), Optional.of(order))));
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("Null is deserialized as null, as is a missing value")
	void nothing(Class<?> type) {
		assertThat(readAgain(one(ResolvableType.forClass(type)), null)).isNull();
	}

	static Stream<Class<?>> nothing() {
		return Stream.of(void.class, Void.class, String.class, Order.class, Integer.class, Size.class, byte[].class,
				List.class);
	}

	@Test
	@DisplayName("A subclass with a JSON type name is deserialized to that subclass")
	void polymorphic() {
		ResultFormat one = one(ResolvableType.forClass(Payment.class));
		assertThat(readAgain(one, new Card("1234"))).isEqualTo(new Card("1234"));
		assertThat(readAgain(one, new Cash(5))).isEqualTo(new Cash(5));
		ResultFormat list = one(ResolvableType.forClassWithGenerics(List.class, Payment.class));
		assertThat(readAgain(list, List.of(new Cash(5), new Card("1")))).isEqualTo(List.of(new Cash(5), new Card("1")));
	}

	@Test
	@DisplayName("Several values are deserialized as a list, even if empty")
	void many() {
		ResultFormat many = new ResultFormat(new ResultType(Object.class, ResolvableType.forClass(Order.class), true),
				mapper());
		List<Order> orders = List.of(new Order("A", 1, BigDecimal.ONE), new Order("B", 2, BigDecimal.TEN));
		assertThat(readAgain(many, orders)).isEqualTo(orders);
		assertThat(readAgain(many, List.of())).isEqualTo(List.of());
	}

	@Test
	@DisplayName("An entity keeps its status, body and content headers, and no other headers")
	void entity() {
		ResultFormat format = one(type(new ParameterizedTypeReference<ResponseEntity<String>>() {
		}));
		ResponseEntity<String> entity = ResponseEntity.created(URI.create("/orders/1"))
			.eTag("\"v1\"")
			.contentType(MediaType.APPLICATION_JSON)
			.header(HttpHeaders.LINK, "</a>; rel=a", "</b>; rel=b")
			.header(HttpHeaders.SET_COOKIE, "session=secret")
			.header(HttpHeaders.SET_COOKIE2, "session=secret")
			.header(HttpHeaders.AUTHORIZATION, "secret")
			.header("X-Other", "secret")
			.body("done");
		String text = write(format, entity);
		assertThat(text).doesNotContain("secret");
		ResponseEntity<?> read = (ResponseEntity<?>) read(format, text);
		assertThat(read.getStatusCode()).isEqualTo(HttpStatus.CREATED);
		assertThat(read.getBody()).isEqualTo("done");
		assertThat(read.getHeaders().headerNames()).containsExactlyInAnyOrder("Location", "ETag", "Link",
				"Content-Type");
		assertThat(read.getHeaders().getLocation()).isEqualTo(URI.create("/orders/1"));
		assertThat(read.getHeaders().getETag()).isEqualTo("\"v1\"");
		assertThat(read.getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_JSON);
		assertThat(read.getHeaders().get(HttpHeaders.LINK)).containsExactly("</a>; rel=a", "</b>; rel=b");
	}

	@Test
	@DisplayName("An entity may be null, and may have no body, or an unknown status")
	void otherEntities() {
		ResultFormat nothing = one(ResolvableType.forClassWithGenerics(ResponseEntity.class, Void.class));
		assertThat(readAgain(nothing, ResponseEntity.noContent().build()))
			.isEqualTo(ResponseEntity.noContent().build());
		ResultFormat text = one(ResolvableType.forClassWithGenerics(ResponseEntity.class, String.class));
		assertThat(readAgain(text, ResponseEntity.status(299).body("a")))
			.isEqualTo(ResponseEntity.status(299).body("a"));
		assertThat(readAgain(text, ResponseEntity.ok().build())).isEqualTo(ResponseEntity.ok().build());
		ResultFormat plain = one(ResolvableType.forClassWithGenerics(HttpEntity.class, String.class));
		assertThat(readAgain(plain, new HttpEntity<>("a"))).isEqualTo(new HttpEntity<>("a"));
	}

	@Test
	@DisplayName("The argument fingerprint of a result is stored with it")
	void argumentsOfResult() {
		ResultFormat format = one(ResolvableType.forClass(String.class));
		BoundedOutput output = new BoundedOutput(1000);
		format.write("sha256:1234", "done", output);
		assertThat(ResultText.parse(output.toString()).head().fingerprint()).isEqualTo("sha256:1234");
	}

	@Test
	@DisplayName("The time to check whether a result is read as it was written does not grow with the product of its size and its depth")
	void deep() {
		ResultFormat format = one(ResolvableType.forClass(Report.class));
		// It is read in another order, so that all of it is compared.
		Set<String> inOrder = new LinkedHashSet<>(List.of("b", "a"));
		ProcessorTime.assertLinear((length) -> {
			int depth = length / 100;
			Report report = new Report(inOrder,
					mapper().readTree("[".repeat(depth) + '"' + "a".repeat(length) + '"' + "]".repeat(depth)));
			return () -> write(format, report);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"a\":", "[", "7", "\"", "\\", "\n", " ", "{\"shape\":\"\"}" })
	@DisplayName("The time to read a stored text, valid or not, grows only with its length")
	void hostile(String repeated) {
		ResultFormat format = one(ResolvableType.forClass(Report.class));
		String head = write(format, null).lines().findFirst().orElseThrow();
		ProcessorTime.assertLinear((length) -> {
			String text = repeated.repeat(length);
			return () -> Stream.of(text, head + '\n' + text + '\n')
				.forEach((each) -> catchThrowable(() -> format.read(ResultText.parse(each))));
		});
	}

	static ResultFormat one(ResolvableType type) {
		return new ResultFormat(new ResultType(Object.class, type, false), mapper());
	}

	static String write(ResultFormat format, Object value) {
		BoundedOutput output = new BoundedOutput(100_000);
		format.write("", value, output);
		return output.toString();
	}

	static Object read(ResultFormat format, String text) {
		return format.read(ResultText.parse(text));
	}

	private static Object readAgain(ResultFormat format, Object value) {
		return read(format, write(format, value));
	}

	private static JsonMapper mapper() {
		return JsonMapper.builder().build();
	}

	private static ResolvableType type(ParameterizedTypeReference<?> type) {
		return ResolvableType.forType(type);
	}

	private static Arguments arguments(Class<?> type, Object value) {
		return Arguments.of(ResolvableType.forClass(type), value);
	}

	private static Arguments arguments(ParameterizedTypeReference<?> type, Object value) {
		return Arguments.of(type(type), value);
	}

	record Order(String number, int count, BigDecimal price) {
	}

	record Boxed<T>(T value) {
	}

	record Node(String name, List<Node> children) {
	}

	record Report(Set<String> names, JsonNode details) {
	}

	enum Size {

		SMALL, LARGE {

			@Override
			public String toString() {
				return "size";
			}

		}

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	@JsonSubTypes({ @JsonSubTypes.Type(value = Card.class, name = "card"),
			@JsonSubTypes.Type(value = Cash.class, name = "cash") })
	interface Payment {

	}

	record Card(String number) implements Payment {
	}

	record Cash(int amount) implements Payment {
	}

}
