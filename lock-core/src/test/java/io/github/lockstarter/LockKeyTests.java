package io.github.lockstarter;

import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LockKeyTests {

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a:b", "a\nb", "a\0b", "a\uD800" })
	@DisplayName("A name that could be confused with a name and a key is rejected")
	void rejectsNames(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> new LockKey(name, "k"));
	}

	@Test
	@DisplayName("A short, printable key is stored unchanged")
	void plain() {
		assertThat(new LockKey("n", "tarō@example.com").storeForm(200)).isEqualTo("tarō@example.com");
	}

	@ParameterizedTest
	@ValueSource(strings = { "a\0", "a\r\n", "\uD800", "sha256:abc" })
	@DisplayName("A key that is not printable, or that looks like a digest, is stored as its digest")
	void digested(String key) {
		assertThat(new LockKey("n", key).storeForm(200)).matches("sha256:[0-9a-f]{64}");
	}

	@Test
	@DisplayName("The maximum length is in bytes, not in characters")
	void countsBytes() {
		assertThat(new LockKey("n", "é".repeat(100)).storeForm(200)).hasSize(100);
		assertThat(new LockKey("n", "é".repeat(101)).storeForm(200)).startsWith("sha256:");
	}

	@Test
	@DisplayName("toString does not show the key")
	void toStringHidesKey() {
		assertThat(new LockKey("n", "secret")).asString().isEqualTo("LockKey[n]");
	}

	@Test
	@DisplayName("Keys are ordered by name, then by key, and the order is consistent with equals")
	void order() {
		assertThat(Stream.of("b", "a:2", "a:1", "ab", "a", "a:1").map(LockKey::of).sorted().distinct().toList())
			.containsExactly(LockKey.of("a"), LockKey.of("a:1"), LockKey.of("a:2"), LockKey.of("ab"), LockKey.of("b"));
		assertThat(LockKey.of("a:1")).isEqualByComparingTo(new LockKey("a", "1"));
	}

	@Test
	@DisplayName("Keys with the same hash code are comparable, so that a hash table with thousands of them needs few comparisons")
	void collisions() {
		List<LockKey> keys = colliding(12);
		assertThat(keys).hasSize(4096).doesNotHaveDuplicates();
		assertThat(keys.stream().map(LockKey::hashCode).distinct()).hasSize(1);
		// A hash table uses the order only if the class implements Comparable of itself.
		assertThat(LockKey.class.getGenericInterfaces()).extracting(Type::getTypeName)
			.containsExactly("java.lang.Comparable<%s>".formatted(LockKey.class.getName()));
		AtomicInteger comparisons = new AtomicInteger();
		Map<LockKey, LockKey> tree = new TreeMap<>((one, other) -> {
			comparisons.incrementAndGet();
			assertThat(one.compareTo(other) == 0).isEqualTo(one.equals(other));
			return one.compareTo(other);
		});
		keys.forEach((key) -> tree.put(key, key));
		comparisons.set(0);
		keys.forEach((key) -> assertThat(tree.get(key)).isSameAs(key));
		// A red-black tree is at most twice as deep as a balanced tree of 12 levels.
		assertThat(comparisons).hasValueLessThanOrEqualTo(2 * 13 * keys.size());
	}

	/** Returns keys composed of this number of letter pairs with equal hash codes. */
	private static List<LockKey> colliding(int pairs) {
		return IntStream.range(0, 1 << pairs)
			.mapToObj((bits) -> IntStream.range(0, pairs)
				.mapToObj((pair) -> ((bits >> pair & 1) == 0) ? "Aa" : "BB")
				.collect(Collectors.joining()))
			.map((text) -> new LockKey("orders", text))
			.toList();
	}

}
