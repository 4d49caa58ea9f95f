package io.github.lockstarter.result;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.ResolvableType;
import org.springframework.http.ResponseEntity;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A stored result is either read without loss, or rejected.
 */
class LosslessResultsTests {

	@Test
	@DisplayName("The body of an entity is deserialized to its declared type")
	void entityBodyIsReadAsDeclared() {
		ResultFormat format = ResultFormatTests
			.one(ResolvableType.forType(new ParameterizedTypeReference<ResponseEntity<Order>>() {
			}));
		assertThat(ResultFormatTests.read(format, ResultFormatTests.write(format, ResponseEntity.ok(new Order("A")))))
			.isEqualTo(ResponseEntity.ok(new Order("A")));
	}

	@Test
	@DisplayName("The body of an entity may be bytes")
	void entityOfBytes() {
		ResultFormat format = ResultFormatTests
			.one(ResolvableType.forType(new ParameterizedTypeReference<ResponseEntity<byte[]>>() {
			}));
		ResponseEntity<?> read = (ResponseEntity<?>) ResultFormatTests.read(format,
				ResultFormatTests.write(format, ResponseEntity.ok(new byte[] { 1, 2 })));
		assertThat(read.getBody()).isEqualTo(new byte[] { 1, 2 });
	}

	@Test
	@DisplayName("The value of a future is deserialized to its declared type")
	void stageValueIsReadAsDeclared() {
		ResolvableType stage = ResolvableType.forType(new ParameterizedTypeReference<CompletableFuture<Order>>() {
		}).as(CompletionStage.class).getGeneric();
		ResultFormat format = ResultFormatTests.one(stage);
		assertThat(ResultFormatTests.read(format, ResultFormatTests.write(format, new Order("A"))))
			.isEqualTo(new Order("A"));
	}

	abstract static class Generic<T> {

		abstract T one();

		abstract List<T> list();

	}

	abstract static class OfOrder extends Generic<Order> {

	}

	@Test
	@DisplayName("A type variable of a generic superclass is resolved by the subclass")
	void genericSuperclass() {
		ResultFormat format = ResultFormatTests
			.one(ResolvableType.forMethodReturnType(ReflectionUtils.findMethod(Generic.class, "one"), OfOrder.class));
		assertThat(ResultFormatTests.read(format, ResultFormatTests.write(format, new Order("A"))))
			.isEqualTo(new Order("A"));
	}

	@Test
	@DisplayName("A list of a type variable of a generic superclass is resolved by the subclass")
	void genericSuperclassList() {
		ResultFormat format = ResultFormatTests
			.one(ResolvableType.forMethodReturnType(ReflectionUtils.findMethod(Generic.class, "list"), OfOrder.class));
		assertThat(ResultFormatTests.read(format, ResultFormatTests.write(format, List.of(new Order("A")))))
			.isEqualTo(List.of(new Order("A")));
	}

	@Test
	@DisplayName("A list with an element of a subclass is not serialized, since the subclass's properties would be lost")
	void subclassInList() {
		ResultFormat format = ResultFormatTests
			.one(ResolvableType.forClassWithGenerics(List.class, UnwritableResultsTests.Base.class));
		assertThatIllegalStateException()
			.isThrownBy(() -> ResultFormatTests.write(format, List.of(new UnwritableResultsTests.Derived())));
	}

	@Test
	@DisplayName("An Optional of a subclass is not serialized")
	void subclassInOptional() {
		ResultFormat format = ResultFormatTests
			.one(ResolvableType.forClassWithGenerics(Optional.class, UnwritableResultsTests.Base.class));
		assertThatIllegalStateException()
			.isThrownBy(() -> ResultFormatTests.write(format, Optional.of(new UnwritableResultsTests.Derived())));
	}

	@Test
	@DisplayName("An array with an element of a subclass is not serialized")
	void subclassInArray() {
		ResultFormat format = ResultFormatTests.one(ResolvableType.forClass(UnwritableResultsTests.Base[].class));
		assertThatIllegalStateException().isThrownBy(() -> ResultFormatTests.write(format,
				new UnwritableResultsTests.Base[] { new UnwritableResultsTests.Derived() }));
	}

	@Test
	@DisplayName("A record with a field of a subclass is not serialized")
	void subclassInField() {
		ResultFormat format = ResultFormatTests.one(ResolvableType.forClass(Wrapper.class));
		assertThatIllegalStateException()
			.isThrownBy(() -> ResultFormatTests.write(format, new Wrapper(new UnwritableResultsTests.Derived())));
	}

	record Wrapper(UnwritableResultsTests.Base base) {
	}

	@Test
	@DisplayName("A type with a self-referential type variable has a shape")
	void selfBound() {
		assertThat(TypeShape.of(ResolvableType.forClassWithGenerics(Range.class, LocalDate.class))).hasSize(32);
	}

	@Test
	@DisplayName("A raw type with a self-referential type variable has a shape")
	void selfBoundRaw() {
		assertThat(TypeShape.of(ResolvableType.forClass(Self.class))).hasSize(32);
	}

	@Test
	@DisplayName("A type with a self-referential type variable is shareable")
	void selfBoundObjection() {
		assertThat(ShareableTypes.objection(ResolvableType.forClassWithGenerics(Range.class, LocalDate.class)))
			.isNull();
	}

	@Test
	@DisplayName("A raw type with a self-referential type variable is shareable")
	void selfBoundRawObjection() {
		assertThat(ShareableTypes.objection(ResolvableType.forClass(Self.class))).isNull();
	}

	@Test
	@DisplayName("A record with fields of self-referential types has a shape")
	void selfBoundFieldRawObjection() {
		assertThat(TypeShape.of(ResolvableType.forClass(HasSelf.class))).hasSize(32);
	}

	record HasSelf(Enum<?> anEnum, Class<?> aClass, Comparable<?> comparable) {
	}

	record Range<T extends Comparable<T>>(T from, T to) {
	}

	static class Self<S extends Self<S>> {

		public int a;

	}

	@Test
	@DisplayName("A JSON tree is deserialized")
	void jsonNode() {
		ResultFormat format = ResultFormatTests.one(ResolvableType.forClass(JsonNode.class));
		JsonNode node = JsonMapper.shared().readTree("{\"a\":1}");
		assertThat(ResultFormatTests.read(format, ResultFormatTests.write(format, node))).isEqualTo(node);
	}

	@Test
	@DisplayName("A stored header that must not be shared is ignored")
	void setCookieOnRead() {
		ResultFormat format = ResultFormatTests
			.one(ResolvableType.forType(new ParameterizedTypeReference<ResponseEntity<String>>() {
			}));
		String text = ResultFormatTests.write(format, ResponseEntity.ok().eTag("\"a\"").body("a"))
			.replace("ETag", "Set-Cookie");
		assertThat(text).contains("Set-Cookie");
		ResponseEntity<?> read = (ResponseEntity<?>) ResultFormatTests.read(format, text);
		assertThat(read.getHeaders().isEmpty()).isTrue();
	}

	@Test
	@DisplayName("A truncated number is not read as another number")
	void truncatedNumber() {
		ResultFormat format = ResultFormatTests.one(ResolvableType.forClass(int.class));
		String text = ResultFormatTests.write(format, 12345);
		assertThatException().isThrownBy(() -> format.read(ResultText.parse(text.substring(0, text.length() - 2))));
	}

	@Test
	@DisplayName("An array of a type that cannot be deserialized prevents startup")
	void arrayOfUnreadable() {
		assertThatExceptionOfType(InvalidDefinitionException.class)
			.isThrownBy(ResultFormatTests.one(ResolvableType.forClass(UnwritableResultsTests.Shape[].class))::check);
	}

	@Test
	@DisplayName("Numbers of an undeclared type keep their digits")
	void mapOfObject() {
		ResultFormat format = ResultFormatTests
			.one(ResolvableType.forClassWithGenerics(Map.class, String.class, Object.class));
		Map<String, Object> value = Map.of("price", new BigDecimal("1.50"));
		assertThat(JsonMapper.shared()
			.writeValueAsString(ResultFormatTests.read(format, ResultFormatTests.write(format, value))))
			.isEqualTo(JsonMapper.shared().writeValueAsString(value));
	}

	@Test
	@DisplayName("A bean without properties is rejected instead of serialized as an empty object")
	void emptyBean() {
		ResultFormat format = ResultFormatTests.one(ResolvableType.forClass(NoGetters.class));
		assertThatException().isThrownBy(() -> ResultFormatTests.write(format, new NoGetters()));
	}

	static class NoGetters {

		private String number = "A";

		void setNumber(String number) {
			this.number = number;
		}

	}

	@Test
	@DisplayName("A Number keeps its digits")
	void kotlinLikeNumber() {
		ResultFormat format = ResultFormatTests.one(ResolvableType.forClass(Number.class));
		assertThat(ResultFormatTests.read(format, ResultFormatTests.write(format, new BigDecimal("1.50"))))
			.isEqualTo(new BigDecimal("1.50"));
	}

	@Test
	@DisplayName("Values that have no JSON number, such as NaN, are deserialized")
	void bigDecimalScale() {
		ResultFormat format = ResultFormatTests.one(ResolvableType.forClass(float.class));
		assertThat(ResultFormatTests.read(format, ResultFormatTests.write(format, Float.NaN))).isEqualTo(Float.NaN);
	}

	record Order(String number) {
	}

}
