package io.github.lockstarter.result;

import java.util.List;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;

import org.springframework.core.ResolvableType;
import org.springframework.http.ResponseEntity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Values and stored texts that {@link ResultFormat} rejects.
 */
class UnwritableResultsTests {

	private static final ResolvableType ORDER = ResolvableType.forClass(Order.class);

	@Test
	@DisplayName("A subclass of the declared type is not serialized, since its properties would be lost")
	void subclass() {
		ResultFormat one = ResultFormatTests.one(ResolvableType.forClass(Base.class));
		assertThat(ResultFormatTests.write(one, new Base())).endsWith("{\"name\":\"base\"}\n");
		assertThatIllegalStateException().isThrownBy(() -> ResultFormatTests.write(one, new Derived()))
			.withMessageContaining("Derived");
		ResultFormat entity = ResultFormatTests
			.one(ResolvableType.forClassWithGenerics(ResponseEntity.class, Base.class));
		assertThatIllegalStateException()
			.isThrownBy(() -> ResultFormatTests.write(entity, ResponseEntity.ok(new Derived())));
		ResultFormat many = new ResultFormat(new ResultType(Object.class, ResolvableType.forClass(Base.class), true),
				JsonMapper.builder().build());
		assertThatIllegalStateException()
			.isThrownBy(() -> ResultFormatTests.write(many, List.of(new Base(), new Derived())));
	}

	@Test
	@DisplayName("A result above the maximum size is not serialized, whether its value or its metadata is too large")
	void tooLarge() {
		ResultFormat format = ResultFormatTests.one(ResolvableType.forClass(String.class));
		int size = ResultFormatTests.write(format, "value").length();
		BoundedOutput enough = new BoundedOutput(size);
		format.write("", "value", enough);
		assertThat(enough.isExceeded()).isFalse();
		assertThat(ResultFormatTests.read(format, enough.toString())).isEqualTo("value");
		for (int limit : new int[] { 1, 10, size - 1 }) {
			BoundedOutput tight = new BoundedOutput(limit);
			assertThatException().isThrownBy(() -> format.write("", "value", tight));
			assertThat(tight.isExceeded()).isTrue();
		}
	}

	@Test
	@DisplayName("The maximum size is in bytes, not in characters")
	void bytesCount() {
		ResultFormat format = ResultFormatTests.one(ResolvableType.forClass(String.class));
		BoundedOutput tight = new BoundedOutput(ResultFormatTests.write(format, "aa").length());
		assertThatException().isThrownBy(() -> format.write("", "ää", tight));
		assertThat(tight.isExceeded()).isTrue();
	}

	@Test
	@DisplayName("A value whose getter throws is not serialized, and is not counted as too large")
	void getterThrows() {
		ResultFormat format = ResultFormatTests.one(ResolvableType.forClass(Throwing.class));
		BoundedOutput output = new BoundedOutput(1000);
		assertThatException().isThrownBy(() -> format.write("", new Throwing(), output));
		assertThat(output.isExceeded()).isFalse();
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("Invalid stored text is rejected")
	void garbage(String text) {
		ResultFormat order = ResultFormatTests.one(ORDER);
		assertThatException().isThrownBy(() -> order.read(ResultText.parse(text)));
	}

	static Stream<String> garbage() {
		String good = ResultFormatTests.write(ResultFormatTests.one(ORDER), new Order("A-1", 2));
		String head = good.substring(0, good.indexOf('\n') + 1);
		return Stream.of("", "\n", "garbage", "garbage\ngarbage", "null\nnull", "{}\n{}", "[]\n[]", head,
				head + "garbage\n", head + "[]\n", head + "7\n", head + "\"text\"\n",
				head + "{\"number\":{},\"count\":2}\n", head + "{\"number\":\"A-1\",\"count\":\"two\"}\n", head + "\n",
				good + good, good + "x", good.replace("\n", ""), good.replace('{', '['),
				good.toUpperCase(java.util.Locale.ROOT), "\u0000".repeat(100));
	}

	@Test
	@DisplayName("A stored result that is truncated anywhere is rejected")
	void truncated() {
		ResultFormat order = ResultFormatTests.one(ORDER);
		String good = ResultFormatTests.write(order, new Order("A-1", 2));
		assertThatNoException().isThrownBy(() -> order.read(ResultText.parse(good)));
		for (int length = 0; length < good.length(); length++) {
			String part = good.substring(0, length);
			assertThatException().as(part).isThrownBy(() -> order.read(ResultText.parse(part)));
		}
	}

	@Test
	@DisplayName("A result of another version of the class is rejected, even if its JSON would fit")
	void otherShape() {
		String old = ResultFormatTests.write(ResultFormatTests.one(ResolvableType.forClass(Older.Order.class)),
				new Older.Order("A-1"));
		assertThatIllegalStateException().isThrownBy(() -> ResultFormatTests.one(ORDER).read(ResultText.parse(old)));
		String younger = ResultFormatTests.write(ResultFormatTests.one(ORDER), new Order("A-1", 2));
		assertThatIllegalStateException()
			.isThrownBy(() -> ResultFormatTests.one(ResolvableType.forClass(Older.Order.class))
				.read(ResultText.parse(younger)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "[\"%s\",{}]", "{\"@class\":\"%s\"}", "{\"value\":{\"@class\":\"%s\"}}",
			"{\"value\":[\"%s\",{}]}" })
	@DisplayName("A class that is named in the store is not instantiated, even if the application enables type names elsewhere")
	void defaultTyping(String json) {
		JsonMapper trusting = JsonMapper.builder()
			.activateDefaultTyping(BasicPolymorphicTypeValidator.builder().allowIfBaseType(Object.class).build(),
					DefaultTyping.NON_FINAL)
			.build();
		ResultFormat format = new ResultFormat(
				new ResultType(Object.class, ResolvableType.forClass(Holder.class), false), trusting);
		String good = ResultFormatTests.write(format, new Holder("a"));
		assertThat(good).doesNotContain("Holder", "@class");
		assertThat(ResultFormatTests.read(format, good)).isEqualTo(new Holder("a"));
		String head = good.substring(0, good.indexOf('\n') + 1);
		try {
			assertThat(ResultFormatTests.read(format, head + json.formatted(Gadget.class.getName()) + "\n")).asString()
				.doesNotContain("gadget");
		}
		catch (RuntimeException ex) {
			// A rejection is equally correct.
		}
		assertThat(Gadget.created).isFalse();
	}

	@Test
	@DisplayName("A type whose JSON contains class names prevents startup")
	void byClassName() {
		ResultFormat format = ResultFormatTests.one(ResolvableType.forClass(Named.class));
		assertThatExceptionOfType(InvalidDefinitionException.class).isThrownBy(format::check);
		ResultFormat list = ResultFormatTests.one(ResolvableType.forClassWithGenerics(List.class, Named.class));
		assertThatExceptionOfType(InvalidDefinitionException.class).isThrownBy(list::check);
		ResultFormat field = ResultFormatTests.one(ResolvableType.forClass(WithNamed.class));
		assertThatExceptionOfType(InvalidDefinitionException.class).isThrownBy(field::check);
	}

	@ParameterizedTest
	@ValueSource(classes = { Shape.class, NoCreator.class })
	@DisplayName("A type that cannot be deserialized prevents startup")
	void notReadable(Class<?> type) {
		ResultFormat format = ResultFormatTests.one(ResolvableType.forClass(type));
		assertThatExceptionOfType(InvalidDefinitionException.class).isThrownBy(format::check);
		ResultFormat list = ResultFormatTests.one(ResolvableType.forClassWithGenerics(List.class, type));
		assertThatExceptionOfType(InvalidDefinitionException.class).isThrownBy(list::check);
	}

	@ParameterizedTest
	@ValueSource(classes = { Order.class, String.class, int.class, byte[].class, Base.class, Strict.class, void.class })
	@DisplayName("A type that can be deserialized is accepted, even if not from an empty object")
	void readable(Class<?> type) {
		assertThatNoException().isThrownBy(() -> ResultFormatTests.one(ResolvableType.forClass(type)).check());
	}

	record Order(String number, int count) {
	}

	/** Contains an older version of a class. */
	static final class Older {

		record Order(String number) {
		}

	}

	static class Base {

		public String name = "base";

	}

	static class Derived extends Base {

		public String more = "more";

	}

	static class Throwing {

		public String getName() {
			throw new UnsupportedOperationException("as asked");
		}

	}

	record Holder(Object value) {
	}

	public static class Gadget {

		static volatile boolean created;

		public Gadget() {
			created = true;
		}

		@Override
		public String toString() {
			return "gadget";
		}

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
	interface Named {

	}

	record WithNamed(Named named) {
	}

	interface Shape {

		String name();

	}

	static class NoCreator {

		private final String name;

		NoCreator(String name, int count) {
			this.name = name + count;
		}

		public String getName() {
			return this.name;
		}

	}

	record Strict(String name) {

		Strict {
			if (name == null) {
				throw new IllegalArgumentException("There must be a name");
			}
		}

	}

}
