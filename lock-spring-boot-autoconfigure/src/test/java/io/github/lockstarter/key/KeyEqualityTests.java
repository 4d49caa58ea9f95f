package io.github.lockstarter.key;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the keys of generated values with their equality. Each pair is made from a
 * seed.
 */
@Tag("jdk")
class KeyEqualityTests {

	private static final int PAIRS = 10_000;

	@Test
	@DisplayName("Values have the same key if and only if they are equal")
	void sameKeyIfEqual() {
		int equal = 0;
		for (long seed = 0; seed < PAIRS; seed++) {
			Object one = new Values(seed, -1).next(3);
			// The other is made by the same decisions, or by all but one.
			Object other = new Values(seed, (int) (seed % 8) - 1).next(3);
			assertThat(key(one).equals(key(other))).as("seed %d: %s and %s have the same key", seed, one, other)
				.isEqualTo(equal(one, other));
			equal += equal(one, other) ? 1 : 0;
		}
		assertThat(equal).as("number of equal pairs").isBetween(PAIRS / 10, PAIRS * 9 / 10);
	}

	/**
	 * A plain list says that it equals a list that has an owner, which does not agree.
	 */
	private static boolean equal(Object one, Object other) {
		return one.equals(other) && other.equals(one);
	}

	private static String key(Object value) {
		return KeyText.lockKey("orders", new Holder(value)).key();
	}

	/** Makes values by decisions from a seed, one of which can be changed. */
	private static final class Values {

		private final Random random;

		private final int changed;

		private int decisions;

		Values(long seed, int changed) {
			this.random = new Random(seed);
			this.changed = changed;
		}

		private int decide(int options) {
			int option = this.random.nextInt(options);
			return (this.decisions++ == this.changed) ? (option + 1) % options : option;
		}

		Object next(int depth) {
			return (depth == 0 || decide(3) == 0) ? leaf() : composite(depth - 1);
		}

		/**
		 * Numbers of different types have different texts, because one text is one key.
		 */
		private Object leaf() {
			return switch (decide(20)) {
				case 0 -> decide(3);
				case 1 -> 10L + decide(3);
				case 2 -> List.of(0.5, Double.NaN, 0.0, -0.0).get(decide(4));
				case 3 -> List.of("", "1", "null", "true", "NaN", "DAYS", "\"", "\\", "\ud800", "\ud801", "AQ==")
					.get(decide(11));
				case 4 -> decide(2) == 0;
				case 5 -> new BigDecimal(List.of("1.5", "1.50", "1E+3").get(decide(3)));
				case 6 -> List.of(TimeUnit.DAYS, TimeUnit.HOURS, Unit.DAYS, Unit.HOURS, Shape.DAYS).get(decide(5));
				case 7 -> new UUID(0, decide(2));
				case 8 -> LocalDate.EPOCH.plusDays(decide(2));
				case 9 -> "a1b2c3".charAt(decide(6));
				case 10 -> new Cents(decide(2));
				case 11 -> new Euros(decide(2));
				case 12 -> new Day(Instant.EPOCH.plusSeconds(decide(2)));
				case 13 -> new Card("4111" + decide(2), "taro" + decide(2));
				case 14 -> new Masked("411" + decide(2));
				case 15 -> KotlinValues.id(100 + decide(2));
				case 16 ->
					List.of(KotlinValues.everyone(), KotlinValues.nobody(), new Empty(), new Void()).get(decide(4));
				case 17 -> KotlinValues.number("a" + decide(2), "1" + decide(2));
				case 18 ->
					List.of("a", CanonicalJsonTests.Color.RED, CanonicalJsonTests.Color.CRIMSON, "red").get(decide(4));
				default -> new Login("taro", "secret" + decide(2));
			};
		}

		private Object composite(int depth) {
			return switch (decide(19)) {
				case 0 -> list(depth);
				case 1 -> shuffled(depth);
				case 2 -> map(depth);
				case 3 -> Optional.of(next(depth));
				case 4 -> new Holder(next(depth));
				case 5 -> new Sparse((decide(2) == 0) ? null : next(depth), list(depth));
				case 6 -> new Outer(new Cents(decide(2)), next(depth));
				case 7 -> new Node(decide(2), next(depth));
				case 8 -> KotlinValues.data("a" + decide(2), 100 + decide(2));
				case 9 -> KotlinValues.other("a" + decide(2), 100 + decide(2));
				case 10 -> new Typed(next(depth));
				case 11 -> KotlinValues.cart("a" + decide(2), list(depth));
				case 12 -> KotlinValues.tags("a" + decide(2), shuffled(depth));
				case 13 -> KotlinValues.prices("a" + decide(2), map(depth));
				case 14 -> KotlinValues.line("a" + decide(2), next(depth), next(depth));
				case 15 -> new CanonicalJsonTests.Line("a" + decide(2), decide(2), "b" + decide(2));
				case 16 -> new CanonicalJsonTests.Row("a" + decide(2), "b" + decide(2));
				case 17 -> KotlinValues.lists(list(depth)).get(decide(4));
				default -> Map.entry(next(depth), next(depth));
			};
		}

		private List<Object> list(int depth) {
			List<Object> list = new ArrayList<>();
			int size = decide(3);
			for (int i = 0; i < size; i++) {
				list.add(next(depth));
			}
			return this.changed < 0 ? list : Collections.unmodifiableList(list);
		}

		private Set<Object> shuffled(int depth) {
			List<Object> elements = new ArrayList<>(list(depth));
			if (this.changed >= 0) {
				Collections.reverse(elements);
			}
			return new LinkedHashSet<>(elements);
		}

		private Map<Object, Object> map(int depth) {
			List<Map.Entry<Object, Object>> entries = new ArrayList<>();
			int size = decide(3);
			for (int i = 0; i < size; i++) {
				entries.add(Map.entry(next(depth), next(depth)));
			}
			Map<Object, Object> map = new LinkedHashMap<>();
			entries.forEach((each) -> map.put(each.getKey(), each.getValue()));
			if (this.changed < 0) {
				return map;
			}
			List<Map.Entry<Object, Object>> reversed = new ArrayList<>(map.entrySet());
			Collections.reverse(reversed);
			Map<Object, Object> other = new LinkedHashMap<>();
			reversed.forEach((each) -> other.put(each.getKey(), each.getValue()));
			return other;
		}

	}

	enum Unit {

		DAYS, HOURS {
		};

		@Override
		public String toString() {
			return "unit";
		}

	}

	@JsonFormat(shape = JsonFormat.Shape.NUMBER)
	enum Shape {

		DAYS

	}

	sealed interface Money {

	}

	record Cents(long amount) implements Money {
	}

	record Euros(long amount) implements Money {
	}

	record Empty() {
	}

	record Void() {
	}

	record Holder(Object value) {
	}

	record Day(@JsonFormat(pattern = "yyyy-MM-dd", timezone = "UTC") Instant time) {
	}

	record Masked(String number) {

		@JsonValue
		String masked() {
			return "****";
		}

	}

	@JsonInclude(JsonInclude.Include.NON_EMPTY)
	record Sparse(@Nullable Object one, Object other) {
	}

	record Outer(@JsonUnwrapped Cents cents, Object value) {
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	record Typed(Object value) {
	}

	@JsonIdentityInfo(generator = ObjectIdGenerators.PropertyGenerator.class, property = "id")
	record Node(int id, @JsonIgnore Object value) {
	}

	record Card(@JsonProperty(access = JsonProperty.Access.WRITE_ONLY) String number, @JsonIgnore String owner) {
	}

	/** Not all of it has a getter. */
	static class Login {

		private final String name;

		private final String password;

		Login(String name, String password) {
			this.name = name;
			this.password = password;
		}

		public String getName() {
			return this.name;
		}

		@Override
		public boolean equals(Object obj) {
			return obj instanceof Login other && this.name.equals(other.name) && this.password.equals(other.password);
		}

		@Override
		public int hashCode() {
			return Objects.hash(this.name, this.password);
		}

	}

}
