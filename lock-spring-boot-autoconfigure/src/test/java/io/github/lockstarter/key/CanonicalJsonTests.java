package io.github.lockstarter.key;

import java.io.File;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Period;
import java.time.ZoneId;
import java.util.AbstractCollection;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Currency;
import java.util.Date;
import java.util.EventObject;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonRawValue;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.ser.std.StdSerializer;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.http.MediaType;
import org.springframework.mock.web.MockMultipartFile;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.util.unit.DataSize;
import org.springframework.web.multipart.MultipartFile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@Tag("jdk")
class CanonicalJsonTests {

	@Test
	@DisplayName("Texts, numbers, booleans and lists are written as themselves, and everything else with its type")
	void format() {
		Map<String, Object> map = Map.of("b", true, "a", Set.of(2, 1));
		assertThat(CanonicalJson.write(Arrays.asList("a\n", 1, 2.5, false, null)))
			.isEqualTo("[\"a\\n\",1,2.5,false,null]");
		assertThat(CanonicalJson.write(map))
			.isEqualTo("{\"java.util.Map\":[[\"a\",{\"java.util.Set\":[1,2]}],[\"b\",true]]}");
		assertThat(CanonicalJson.write(new Order("A-1", LocalDate.EPOCH))).isEqualTo("{\"" + Order.class.getName()
				+ "\":{\"day\":{\"java.time.LocalDate\":\"1970-01-01\"}," + "\"number\":\"A-1\"}}");
		assertThat(CanonicalJson.write(List.of())).isEqualTo("[]");
		assertThat(CanonicalJson.write(Map.of())).isEqualTo("{\"java.util.Map\":[]}");
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("Different values are written differently")
	void differ(List<Object> values) {
		assertThat(values.stream().map(List::of).map(CanonicalJson::write)).doesNotHaveDuplicates();
	}

	static Stream<List<Object>> differ() throws Exception {
		Instant now = Instant.parse("2026-11-26T00:00:00Z");
		Map<Object, Object> ofNull = new HashMap<>();
		ofNull.put(null, "a");
		return Stream.of(List.of(new Cents(5), new Euros(5), Map.of("amount", 5L), 5L),
				List.of(TimeUnit.DAYS, Unit.DAYS, "DAYS"), List.of(Map.of(1, "a"), Map.of("1", "a")),
				List.of(ofNull, Map.of("null", "a"), Map.of("", "a")),
				List.of(Map.of(TimeUnit.DAYS, "a"), Map.of(Unit.DAYS, "a"), Map.of("DAYS", "a")),
				List.of(Map.of(List.of("a"), "b"), Map.of("[a]", "b"), Map.of("a", List.of("b"))),
				List.of(now.atZone(ZoneId.of("Asia/Tokyo")), now.atZone(ZoneId.of("Asia/Seoul")),
						now.atZone(ZoneId.of("UTC")), now),
				List.of(Pattern.compile("a"), Pattern.compile("a", Pattern.CASE_INSENSITIVE), Pattern.compile("b")),
				List.of(Optional.of("a"), "a", List.of("a"), Optional.of(Optional.of("a")), Optional.empty()),
				List.of(OptionalInt.of(1), OptionalInt.empty(), OptionalLong.of(1), Optional.of(1), 1),
				List.of(new byte[] { 1 }, new byte[] { 2 }, "AQ=="), List.of(new char[] { 'a', 'b' }, "ab"),
				List.of(new int[] { 1, 2 }, new int[] { 12 }), List.of('a', "a"), List.of(Locale.US, "en_US"),
				List.of(Currency.getInstance("EUR"), Currency.getInstance("USD"), "EUR"),
				List.of(String.class, Integer.class, "class java.lang.String"),
				List.of(URI.create("a"), Path.of("a"), new File("a"), "a"),
				List.of(Duration.ofDays(1), Period.ofDays(1), Duration.ofDays(2), "P1D"),
				List.of(Float.NaN, "NaN", Double.POSITIVE_INFINITY), List.of(0.0, -0.0),
				List.of(new Timestamp(0), timestamp(1), timestamp(2)), List.of(now, Date.from(now), now.toString()),
				List.of(TimeZone.getTimeZone("UTC"), ZoneId.of("UTC"), "UTC"),
				List.of("\ud800", "\ud801", "?", "\ufffd"), List.of(Set.of("a"), List.of("a")),
				List.of(new Sparse(null), new Sparse("null"), new Sparse(Optional.empty()), new Sparse(List.of())),
				List.of(new Raw("{}"), new Raw("[]")), List.of(new Rounded(1.2), new Rounded(1.4)),
				List.of(new Positive(1), new Positive(2)), List.of(DataSize.ofBytes(1), DataSize.ofBytes(2)),
				List.of(new Special("a", 1), new Special("a", 2), new Base("a")),
				List.of(JsonMapper.shared().readTree("{\"a\":1}"), JsonMapper.shared().readTree("{\"b\":1}"),
						Map.of("a", 1)),
				List.of(local(1), local(2)), List.of(new Instants(1), new Instants(2)),
				List.of(MediaType.TEXT_PLAIN, MediaType.TEXT_HTML, MediaType.parseMediaType("text/plain;q=0.5")),
				List.of(KotlinValues.data("a", 1), KotlinValues.other("a", 1)),
				List.of(KotlinValues.data("a", 1), KotlinValues.data("a", 2)),
				List.of(KotlinValues.everyone(), KotlinValues.nobody()));
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("Equal values are written alike")
	void same(List<Object> values) {
		assertThat(values.stream().map(List::of).map(CanonicalJson::write).distinct()).hasSize(1);
	}

	static Stream<List<Object>> same() throws Exception {
		Person taro = new Person("taro");
		MediaType printed = new MediaType("text", "plain");
		assertThat(printed).hasToString("text/plain");
		return Stream.of(
				List.of(List.of(1), Arrays.asList(1), new ArrayList<>(List.of(1)), new LinkedList<>(List.of(1)),
						Collections.singletonList(1), new Ones(), new Integer[] { 1 }, new int[] { 1 }),
				List.of(Set.of("a", "b"), new HashSet<>(List.of("b", "a")), Map.of("a", 1, "b", 2).keySet()),
				List.of(Map.of("a", 1), Collections.singletonMap("a", 1), new HashMap<>(Map.of("a", 1))),
				List.of(Map.entry("a", 1), Map.of("a", 1).entrySet().iterator().next()),
				List.of(1, 1L, (short) 1, new BigInteger("1")),
				List.of(new Date(1), new java.sql.Date(1), new Timestamp(1)),
				List.of(printed, new MediaType("text", "plain")),
				List.of(InetAddress.getByAddress("a", new byte[] { 1, 2, 3, 4 }), InetAddress.getByName("1.2.3.4")),
				List.of(taro, new Person$HibernateProxy$(taro), proxy(taro)),
				List.of(JsonMapper.shared().readTree("{\"a\":1,\"b\":[2]}"),
						JsonMapper.shared().readTree("{\"b\":[2],\"a\":1}")),
				List.of(view(1), view(1)), List.of(KotlinValues.data("a", 1), touched(KotlinValues.data("a", 1))),
				List.of(List.of(KotlinValues.id(7)), List.of(7L), List.of(KotlinValues.hidden(7)),
						List.of(KotlinValues.of(KotlinValues.id(7)))),
				List.of(Map.of(KotlinValues.id(7), Optional.of(KotlinValues.hidden(7))), Map.of(7L, Optional.of(7L))));
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("A collection, map, entry, text or file that is more than the interface shows is written with all of its fields")
	void more(List<Object> values) {
		assertThat(values.stream().map(List::of).map(CanonicalJson::write)).doesNotHaveDuplicates();
	}

	static Stream<List<Object>> more() {
		MultipartFile file = new MockMultipartFile("a", new byte[] { 1 });
		return Stream.of(
				List.of(KotlinValues.cart("a", List.of("x")), KotlinValues.cart("b", List.of("x")), List.of("x")),
				List.of(KotlinValues.basket("a", List.of("x")), KotlinValues.basket("b", List.of("x")), List.of("x")),
				List.of(KotlinValues.tags("a", Set.of("x")), KotlinValues.tags("b", Set.of("x")), Set.of("x")),
				List.of(KotlinValues.prices("a", Map.of("x", 1)), KotlinValues.prices("b", Map.of("x", 1)),
						Map.of("x", 1)),
				List.of(KotlinValues.line("a", "x", 1), KotlinValues.line("b", "x", 1), Map.entry("x", 1)),
				List.of(KotlinValues.number("a", "1"), KotlinValues.number("b", "1"), "1"),
				List.of(KotlinValues.upload("a", file), KotlinValues.upload("b", file), file),
				List.of(new Line("x", 1, "a"), new Line("x", 1, "b"), Map.entry("x", 1)),
				List.of(new Row("a", "x"), new Row("b", "x"), new Row("a", "y"), List.of("x")),
				List.of(new Batch("a", "x"), new Batch("b", "x"), new Batch("a", "y"), List.of("x")),
				List.of(new Code("a", "1"), new Code("b", "1"), new Code("a", "2"), "1"),
				List.of(Color.RED, Color.CRIMSON, Shade.RED, "red"));
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("A collection, map, entry or text that is nothing but what the interface shows is written as that, whatever its class")
	void nothingMore(Object value, Object plain) {
		assertThat(CanonicalJson.write(List.of(value))).isEqualTo(CanonicalJson.write(List.of(plain)));
	}

	static Stream<Object[]> nothingMore() {
		MultiValueMap<String, Object> map = new LinkedMultiValueMap<>();
		map.add("a", 1);
		return Stream.of(KotlinValues.lists(List.of()).stream().map((each) -> new Object[] { each, List.of() }),
				KotlinValues.lists(List.of(1, 2)).stream().map((each) -> new Object[] { each, List.of(1, 2) }),
				Stream.of(new Object[] { new Ones(), List.of(1) }, new Object[] { new Titled("a", 1), List.of(1) },
						new Object[] { map, Map.of("a", List.of(1)) }, new Object[] { new AsciiString("a"), "a" },
						new Object[] { new StringBuilder("a"), "a" }))
			.flatMap((each) -> each);
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("A value that cannot be told from others is rejected by the name of its class")
	void rejected(Object value, Class<?> type) {
		assertThatIllegalArgumentException().isThrownBy(() -> CanonicalJson.write(List.of(value)))
			.withMessageContaining(type.getName());
	}

	static Stream<Object[]> rejected() {
		Stream<String> consumed = Stream.of("a");
		consumed.toList();
		return Stream.of(new Object[] { new Object(), Object.class }, new Object[] { new Hidden(), Hidden.class },
				new Object[] { new Transient("a"), Transient.class }, new Object[] { new BitSet(), BitSet.class },
				new Object[] { consumed, consumed.getClass() },
				new Object[] { List.of(1).iterator(), List.of(1).iterator().getClass() },
				new Object[] { (Runnable) () -> {
				}, Runnable.class }, new Object[] { new NoText(), NoText.class },
				new Object[] { (Amount) () -> 1, Amount.class },
				new Object[] { new Unreadable$HibernateProxy$(), Unreadable.class },
				new Object[] { new Final$HibernateProxy$(), Final.class });
	}

	@Test
	@DisplayName("An object that contains itself is rejected, however JSON for clients is cut, also behind a set or a map")
	void cycles() {
		for (Collection<Object> children : List.<Collection<Object>>of(new ArrayList<>(), new HashSet<>())) {
			Parent parent = new Parent("a", children);
			parent.children.add(new Child("b", parent));
			parent.children.add(new Child("c", parent));
			assertThatIllegalArgumentException().isThrownBy(() -> CanonicalJson.write(parent))
				.withMessageContaining("contains itself")
				.withMessageContaining(CanonicalJsonTests.class.getName());
		}
		Map<String, Object> map = new HashMap<>();
		map.put("a", map);
		assertThatIllegalArgumentException().isThrownBy(() -> CanonicalJson.write(map))
			.withMessageContaining("contains itself");
	}

	@Test
	@DisplayName("What is as deep as JSON of a request can be is written")
	void deep() {
		Object deep = "a";
		for (int i = 0; i < 500; i++) {
			deep = (i % 2 == 0) ? Map.of("a", deep) : List.of(deep);
		}
		assertThat(CanonicalJson.write(new Sparse(deep))).contains("\"a\"");
	}

	@Test
	@DisplayName("A number and a text of the application are all of their fields, not only their text")
	void scalarsOfApplication() {
		assertThat(CanonicalJson.write(List.of(new Price(5, "EUR"))))
			.isNotEqualTo(CanonicalJson.write(List.of(new Price(5, "USD"))));
		assertThat(CanonicalJson.write(List.of(new Label("A", "z"))))
			.isNotEqualTo(CanonicalJson.write(List.of(new Label("B", "z"))));
	}

	@Test
	@DisplayName("Equal maps have one key, even if two of their keys are numbers with one text")
	void numbersWithOneText() {
		Map<Object, String> first = new LinkedHashMap<>();
		first.put(1, "a");
		first.put(1L, "b");
		Map<Object, String> second = new LinkedHashMap<>();
		second.put(1L, "b");
		second.put(1, "a");
		assertThat(CanonicalJson.write(first)).isEqualTo(CanonicalJson.write(second));
	}

	@Test
	@DisplayName("A value that is read is not changed, nor are its getters called")
	void noGetters() {
		assertThat(CanonicalJson.write(new Positive(1))).contains("\"value\":1").doesNotContain("positive");
		assertThat(CanonicalJson.write(IntStream.class)).contains("java.util.stream.IntStream");
	}

	private static Timestamp timestamp(int nanos) {
		Timestamp timestamp = new Timestamp(0);
		timestamp.setNanos(nanos);
		return timestamp;
	}

	private static Object local(int amount) {
		return new Money() {

			@Override
			public long getAmount() {
				return amount;
			}

		};
	}

	private static Object view(long amount) {
		ProxyFactory proxy = new ProxyFactory(new Class<?>[] { Money.class });
		proxy.setTarget((Money) () -> amount);
		proxy.setOpaque(true);
		return proxy.getProxy();
	}

	private static Object proxy(Person person) {
		ProxyFactory proxy = new ProxyFactory(person);
		proxy.setProxyTargetClass(true);
		return proxy.getProxy();
	}

	private static Object touched(Object data) {
		assertThat(((KotlinValues.Data) data).getText()).isNotEmpty();
		return data;
	}

	record Order(String number, LocalDate day) {
	}

	record Cents(long amount) {
	}

	record Euros(long amount) {
	}

	enum Unit {

		DAYS {
		};

	}

	record Sparse(@Nullable Object value) {
	}

	record Raw(@JsonRawValue String json) {
	}

	record Rounded(@JsonSerialize(using = Rounding.class) double amount) {
	}

	static class Rounding extends StdSerializer<Double> {

		Rounding() {
			super(Double.class);
		}

		@Override
		public void serialize(Double value, JsonGenerator generator, SerializationContext context) {
			generator.writeNumber(Math.round(value));
		}

	}

	/** Its only property is lossy. */
	static class Positive {

		private final long value;

		Positive(long value) {
			this.value = value;
		}

		public long value() {
			return this.value;
		}

		public boolean isPositive() {
			return this.value > 0;
		}

	}

	static class Base {

		@JsonProperty
		private final String name;

		Base(String name) {
			this.name = name;
		}

	}

	static class Special extends Base {

		private final int name;

		Special(String name, int number) {
			super(name);
			this.name = number;
		}

	}

	interface Money {

		long getAmount();

	}

	/** Its only getter is lossy. */
	interface Amount {

		long value();

		default boolean isPositive() {
			return value() > 0;
		}

	}

	static class Person {

		private String name = "";

		Person() {
		}

		Person(String name) {
			this.name = name;
		}

		public String getName() {
			return this.name;
		}

	}

	/** As a class of Joda-Time keeps its state. */
	static class Instants {

		private volatile long millis;

		Instants(long millis) {
			this.millis = millis;
		}

		public boolean isAfterEpoch() {
			return this.millis > 0;
		}

	}

	/** All of its state is hidden, because it is the source of an event. */
	static class Transient extends EventObject {

		Transient(Object source) {
			super(source);
		}

	}

	/** As Hibernate names its proxies, whose fields have no values. */
	static class Person$HibernateProxy$ extends Person {

		private final Person target;

		Person$HibernateProxy$(Person target) {
			this.target = target;
		}

		@Override
		public String getName() {
			return this.target.getName();
		}

	}

	static class Unreadable {

		private final String name = "a";

		public String name(String suffix) {
			return this.name + suffix;
		}

	}

	static class Unreadable$HibernateProxy$ extends Unreadable {

	}

	static class Final {

		private final String name = "a";

		public final String getName() {
			return this.name;
		}

	}

	static class Final$HibernateProxy$ extends Final {

	}

	static class Hidden {

		private final String name = "a";

		String name() {
			return this.name;
		}

	}

	/** A number without a text of its own. */
	static class NoText extends Number {

		@Override
		public int intValue() {
			return 0;
		}

		@Override
		public long longValue() {
			return 0;
		}

		@Override
		public float floatValue() {
			return 0;
		}

		@Override
		public double doubleValue() {
			return 0;
		}

	}

	static class Parent {

		private final String name;

		private final Collection<Object> children;

		Parent(String name, Collection<Object> children) {
			this.name = name;
			this.children = children;
		}

		public String getName() {
			return this.name;
		}

	}

	static class Child {

		private final String name;

		@JsonIgnore
		private final Parent parent;

		Child(String name, Parent parent) {
			this.name = name;
			this.parent = parent;
		}

		public String getName() {
			return this.name;
		}

	}

	static class Ones extends AbstractList<Integer> {

		@Override
		public Integer get(int index) {
			return 1;
		}

		@Override
		public int size() {
			return 1;
		}

	}

	record Line(String key, Integer value, String tenant) implements Map.Entry<String, Integer> {

		@Override
		public String getKey() {
			return this.key;
		}

		@Override
		public Integer getValue() {
			return this.value;
		}

		@Override
		public Integer setValue(Integer value) {
			throw new UnsupportedOperationException();
		}

	}

	/** Its table is a part of it. */
	static class Row extends ArrayList<String> {

		private final String table;

		Row(String table, String cell) {
			super(List.of(cell));
			this.table = table;
		}

		@Override
		public boolean equals(Object obj) {
			return obj instanceof Row other && this.table.equals(other.table) && super.equals(obj);
		}

		@Override
		public int hashCode() {
			return 31 * super.hashCode() + this.table.hashCode();
		}

	}

	/** It inherits the equality of lists. */
	static class Titled extends ArrayList<Integer> {

		final String title;

		Titled(String title, int element) {
			super(List.of(element));
			this.title = title;
		}

	}

	/** Only its elements are hidden from those that read its fields. */
	static class Batch extends AbstractCollection<String> {

		final String tenant;

		private final transient List<String> elements;

		Batch(String tenant, String element) {
			this.tenant = tenant;
			this.elements = List.of(element);
		}

		@Override
		public Iterator<String> iterator() {
			return this.elements.iterator();
		}

		@Override
		public int size() {
			return this.elements.size();
		}

	}

	/** As many values of an application, it has a text that is only a part of it. */
	static class Code implements CharSequence {

		final String tenant;

		private final String text;

		Code(String tenant, String text) {
			this.tenant = tenant;
			this.text = text;
		}

		@Override
		public int length() {
			return this.text.length();
		}

		@Override
		public char charAt(int index) {
			return this.text.charAt(index);
		}

		@Override
		public CharSequence subSequence(int start, int end) {
			return this.text.subSequence(start, end);
		}

		@Override
		public String toString() {
			return this.text;
		}

	}

	enum Color implements CharSequence {

		RED, CRIMSON;

		@Override
		public int length() {
			return 3;
		}

		@Override
		public char charAt(int index) {
			return "red".charAt(index);
		}

		@Override
		public CharSequence subSequence(int start, int end) {
			return "red".subSequence(start, end);
		}

		@Override
		public String toString() {
			return "red";
		}

	}

	enum Shade {

		RED

	}

	/** Its text does not have the currency. */
	static final class Price extends Number {

		private final int value;

		private final String currency;

		Price(int value, String currency) {
			this.value = value;
			this.currency = currency;
		}

		public String getCurrency() {
			return this.currency;
		}

		@Override
		public int intValue() {
			return this.value;
		}

		@Override
		public long longValue() {
			return this.value;
		}

		@Override
		public float floatValue() {
			return this.value;
		}

		@Override
		public double doubleValue() {
			return this.value;
		}

		@Override
		public String toString() {
			return String.valueOf(this.value);
		}

	}

	/** Its text does not have the tenant. */
	record Label(String tenant, String text) implements CharSequence {

		@Override
		public int length() {
			return this.text.length();
		}

		@Override
		public char charAt(int index) {
			return this.text.charAt(index);
		}

		@Override
		public CharSequence subSequence(int start, int end) {
			return this.text.subSequence(start, end);
		}

		@Override
		public String toString() {
			return this.text;
		}

	}

}
