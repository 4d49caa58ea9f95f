package io.github.lockstarter.key;

import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.Principal;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonRootName;
import com.fasterxml.jackson.annotation.JsonValue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.StringNode;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.testing.ProcessorTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Tag("jdk")
class KeyTextTests {

	@ParameterizedTest
	@MethodSource
	@DisplayName("The key of a scalar is its text")
	void scalars(Object value, String expected) {
		assertThat(key(value)).isEqualTo(expected);
	}

	static Stream<Object[]> scalars() throws UnknownHostException {
		UUID uuid = UUID.randomUUID();
		Timestamp timestamp = new Timestamp(0);
		timestamp.setNanos(7);
		return Stream.of(new Object[] { "taro", "taro" }, new Object[] { " a:b ", " a:b " },
				new Object[] { new StringBuilder("sb"), "sb" }, new Object[] { 7L, "7" }, new Object[] { 'c', "c" },
				new Object[] { true, "true" }, new Object[] { new BigDecimal("1.50"), "1.50" },
				new Object[] { TimeUnit.DAYS, "DAYS" }, new Object[] { uuid, uuid.toString() },
				new Object[] { LocalDate.of(2026, 11, 21), "2026-11-21" },
				new Object[] { new Date(1), "1970-01-01T00:00:00.001Z" },
				new Object[] { new java.sql.Date(1), "1970-01-01T00:00:00.001Z" },
				new Object[] { timestamp, "1970-01-01T00:00:00.000000007Z" },
				new Object[] { Duration.ofMinutes(90), "PT1H30M" },
				new Object[] { TimeZone.getTimeZone("Asia/Tokyo"), "Asia/Tokyo" },
				new Object[] { InetAddress.getByAddress("host", new byte[] { 10, 0, 0, 1 }), "10.0.0.1" },
				new Object[] { OptionalInt.of(7), "7" }, new Object[] { StringNode.valueOf("taro"), "taro" },
				new Object[] { Locale.JAPAN, "ja_JP" }, new Object[] { Optional.of("there"), "there" },
				new Object[] { (Principal) () -> "taro", "taro" });
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("Null, blank and empty values are missing, alone or as a part")
	void missing(Object value) {
		assertThatExceptionOfType(MissingLockKeyException.class).isThrownBy(() -> key(value))
			.withMessageContaining("orders");
	}

	static Stream<Object> missing() {
		return Stream.of(Optional.empty(), OptionalLong.empty(), "", " \t\n", ' ', Locale.ROOT, Path.of(""),
				NullNode.getInstance(), JsonMapper.shared().readTree("[\"a\",null]"), MissingNode.getInstance(),
				List.of(), Map.of(), Arrays.asList("a", null), List.of("a", " "), List.of("a", Optional.empty()),
				List.of("a", List.of()), new String[] { null }, new byte[0], Collections.singletonMap("a", null));
	}

	@Test
	@DisplayName("Null is missing")
	void nullIsMissing() {
		assertThatExceptionOfType(MissingLockKeyException.class).isThrownBy(() -> key(null));
	}

	@Test
	@DisplayName("A list or text that is more than its elements is not missing without them, and is no scalar")
	void moreThanElements() {
		assertThat(Stream
			.of(KotlinValues.cart("a", List.of()), KotlinValues.cart("b", List.of()), KotlinValues.number("a", " "),
					KotlinValues.number("b", " "), List.of(KotlinValues.number("b", " ")))
			.map(KeyTextTests::key)).doesNotHaveDuplicates().allMatch((key) -> key.startsWith("sha256:"));
		assertThat(KeyText.isMissing(new CanonicalJsonTests.Ones())).isFalse();
		assertThat(KeyText.isMissing(KotlinValues.lists(List.of()))).isTrue();
	}

	@Test
	@DisplayName("Different values have different keys")
	void differ() {
		List<Object> values = List.of("[\"a\",\"b\"]", List.of("a", "b"), List.of("a:b", "c"), List.of("a", "b:c"),
				List.of("ab"), List.of("a", List.of("b")), List.of("1", "2"), List.of(1, 2), List.of("a,b"),
				Map.of("a", "b"), new Order("1", 2), new Order("12", 0), new String[] { "x" }, new byte[] { 1 },
				List.of(Size.SMALL), List.of(Size.LARGE), key(List.of("a", "b")));
		assertThat(values.stream().map(KeyTextTests::key)).doesNotHaveDuplicates();
	}

	@Test
	@DisplayName("Sets of long elements have one key if they are equal, and different ones otherwise")
	void longElements() {
		String text = "x".repeat(100);
		Set<Object> set = new LinkedHashSet<>(List.of(text + 1, List.of(text, 2), Set.of(text, 3)));
		Set<Object> reversed = new LinkedHashSet<>(List.of(Set.of(3, text), List.of(text, 2), text + 1));
		Set<Object> other = new LinkedHashSet<>(List.of(Set.of(4, text), List.of(text, 2), text + 1));
		assertThat(key(set)).isEqualTo(key(reversed)).isNotEqualTo(key(other));
	}

	@Test
	@DisplayName("Sets in sets, as deep as JSON can have them, take a time that grows with their size only")
	void deepSets() {
		ProcessorTime.assertLinear((length) -> {
			Object value = "x".repeat(length / 2);
			for (int depth = 0; depth < length / 2 / 50; depth++) {
				value = Set.of(value, depth);
			}
			Object deep = value;
			return () -> key(deep);
		});
	}

	@Test
	@DisplayName("Equal values have one key, in whatever order they keep their parts")
	void equalAreOne() {
		List<String> names = List.of("Aa", "BB", "x", "y", "z");
		Set<String> forwards = new LinkedHashSet<>(names);
		List<String> reversed = new ArrayList<>(names);
		Collections.reverse(reversed);
		Set<String> backwards = new LinkedHashSet<>(reversed);
		assertThat(key(forwards)).isEqualTo(key(backwards));
		Map<String, Integer> one = new LinkedHashMap<>(Map.of("a", 1));
		one.put("b", 2);
		Map<String, Integer> other = new LinkedHashMap<>(Map.of("b", 2));
		other.put("a", 1);
		assertThat(key(one)).isEqualTo(key(other));
		assertThat(key(new Order("1", 2))).isEqualTo(key(new Order("1", 2)));
		assertThat(key(JsonMapper.shared().readTree("{\"a\":1,\"b\":2}")))
			.isEqualTo(key(JsonMapper.shared().readTree("{\"b\":2,\"a\":1}")));
		assertThat(key(List.of(new Login("taro", 1), "x"))).isEqualTo(key(List.of(new Login("taro", 2), "x")))
			.isEqualTo(key(List.of("taro", "x")))
			.isNotEqualTo(key(List.of(new Login("jiro", 1), "x")));
	}

	@Test
	@DisplayName("A composite key does not reveal its values")
	void compositeIsDigested() {
		assertThat(key(List.of("secret", "x"))).matches("sha256:[0-9a-f]{64}");
	}

	@Test
	@DisplayName("An object without readable properties is an error, not the same key for all objects")
	void opaqueObject() {
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> key(new Object()))
			.withMessageContaining("orders")
			.satisfies((ex) -> assertThat(ex.getAction()).contains("properties"));
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("An object without readable properties is an error that names its class, whatever annotations the class has, and wherever the object is")
	void opaqueAnnotatedObject(Object value) {
		assertThatException().isThrownBy(() -> key(value)).withMessageContaining(Opaque.class.getName());
	}

	static Stream<Object> opaqueAnnotatedObject() {
		Opaque opaque = new Opaque(7);
		return Stream.of(opaque, List.of(opaque), new Opaque[] { opaque }, Map.of("a", opaque), Set.of(opaque),
				List.of(Optional.of(opaque)), new Holder<>(opaque), Optional.of(opaque));
	}

	@Test
	@DisplayName("An object with a JSON value, or with any properties, has a key")
	void writableObjects() {
		assertThat(Stream.of(new WithValue(7), new WithValue(8), new WithAny(7), new WithAny(8)).map(KeyTextTests::key))
			.doesNotHaveDuplicates();
	}

	private static String key(Object value) {
		LockKey key = KeyText.lockKey("orders", value);
		assertThat(key.name()).isEqualTo("orders");
		return key.key();
	}

	record Order(String number, int count) {
	}

	record Holder<T>(T value) {
	}

	@JsonRootName("opaque")
	static final class Opaque {

		private final long value;

		Opaque(long value) {
			this.value = value;
		}

		public long value() {
			return this.value;
		}

	}

	record WithValue(@JsonValue long value) {
	}

	static class WithAny {

		private final long value;

		WithAny(long value) {
			this.value = value;
		}

		@JsonAnyGetter
		public Map<String, Long> all() {
			return Map.of("a", this.value);
		}

	}

	enum Size {

		SMALL, LARGE;

		@Override
		public String toString() {
			return "size";
		}

	}

	record Login(String getName, long issuedAt) implements Principal {

		@Override
		public String getName() {
			return this.getName;
		}

	}

}
