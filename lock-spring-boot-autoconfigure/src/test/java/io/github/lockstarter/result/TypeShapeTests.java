package io.github.lockstarter.result;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.core.ResolvableType;
import org.springframework.http.ResponseEntity;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Shapes of types, some of which are versions of one class: they have the same name in
 * different class loaders.
 */
@Tag("jdk")
class TypeShapeTests {

	@ParameterizedTest
	@MethodSource
	@DisplayName("A class that has changed has another shape, wherever it occurs in a type")
	void changed(String before, String after) {
		Class<?> one = Versions.compile(before);
		Class<?> other = Versions.compile(after);
		assertThat(one).hasToString(other.toString());
		assertThat(TypeShape.of(ResolvableType.forClass(one)))
			.isNotEqualTo(TypeShape.of(ResolvableType.forClass(other)));
		for (Class<?> around : new Class<?>[] { List.class, Optional.class, ResponseEntity.class }) {
			assertThat(TypeShape.of(ResolvableType.forClassWithGenerics(around, one)))
				.isNotEqualTo(TypeShape.of(ResolvableType.forClassWithGenerics(around, other)));
		}
		assertThat(TypeShape.of(ResolvableType.forClassWithGenerics(Map.class, String.class, one)))
			.isNotEqualTo(TypeShape.of(ResolvableType.forClassWithGenerics(Map.class, String.class, other)));
		assertThat(TypeShape.of(ResolvableType.forClass(one.arrayType())))
			.isNotEqualTo(TypeShape.of(ResolvableType.forClass(other.arrayType())));
	}

	static Stream<String[]> changed() {
		return Stream.of(change("record Result(String a) {}", "record Result(String a, String b) {}"),
				change("record Result(String a, String b) {}", "record Result(String a) {}"),
				change("record Result(String a) {}", "record Result(String b) {}"),
				change("record Result(int a) {}", "record Result(long a) {}"),
				change("record Result(java.util.List<String> a) {}", "record Result(java.util.List<Integer> a) {}"),
				change("class Result { private int a; }", "class Result { private int a; private int b; }"),
				change("class Result extends P {} class P { int a; }", "class Result extends P {} class P { int b; }"),
				change("enum Result { A }", "enum Result { A, B }"), change("enum Result { A }", "enum Result { C }"),
				change("record Result(In in) {} record In(int a) {}", "record Result(In in) {} record In(int b) {}"),
				change("record Result(In[] in) {} record In(int a) {}",
						"record Result(In[] in) {} record In(int b) {}"),
				change("record Result(java.util.Map<String, java.util.List<In>> in) {} record In(int a) {}",
						"record Result(java.util.Map<String, java.util.List<In>> in) {} record In(long a) {}"),
				change("record Result(In in) {} enum In { A }", "record Result(In in) {} enum In { A, B }"),
				change("sealed interface Result permits S {} record S(int a) implements Result {}",
						"sealed interface Result permits S {} record S(int b) implements Result {}"));
	}

	private static String[] change(String before, String after) {
		return new String[] { before, after };
	}

	@Test
	@DisplayName("The same class has the same shape in every instance, and members outside its JSON do not count")
	void same() {
		assertThat(Versions.shape("record Result(int a, String b) {}"))
			.isEqualTo(Versions.shape("record Result(int a, String b) {}"))
			.isEqualTo(Versions.shape("record Result(String b, int a) { static int c; int sum() { return 0; } }"));
		assertThat(Versions.shape("class Result { int a; }"))
			.isEqualTo(Versions.shape("class Result { int a; transient int b; static int c; }"));
		assertThat(TypeShape.of(ResolvableType.forClass(Order.class)))
			.isEqualTo(TypeShape.of(ResolvableType.forClass(Order.class)));
	}

	@Test
	@DisplayName("The container of a type is part of its shape")
	void around() {
		assertThat(Stream
			.of(ResolvableType.forClass(Order.class), ResolvableType.forClass(Order[].class),
					ResolvableType.forClassWithGenerics(List.class, Order.class),
					ResolvableType.forClassWithGenerics(Optional.class, Order.class),
					ResolvableType.forClassWithGenerics(ResponseEntity.class, Order.class),
					ResolvableType.forClassWithGenerics(Map.class, String.class, Order.class))
			.map(TypeShape::of)).doesNotHaveDuplicates();
	}

	@Test
	@DisplayName("The shape of a base type depends on the subclasses that it names")
	void subclasses() {
		String named = TypeShape.of(ResolvableType.forClass(Named.class));
		assertThat(named).isNotEqualTo(TypeShape.of(ResolvableType.forClass(NamedOther.class)));
	}

	@Test
	@DisplayName("A recursive type has a shape")
	void recursive() {
		assertThat(TypeShape.of(ResolvableType.forClass(Tree.class))).hasSize(32);
		assertThat(TypeShape.of(ResolvableType.forClassWithGenerics(Deep.class, String.class))).hasSize(32);
		assertThat(TypeShape.of(ResolvableType.forClass(Left.class))).hasSize(32);
	}

	record Order(String number) {
	}

	record Tree(List<Tree> children, Tree parent, Map<String, Tree[]> more) {
	}

	record Deep<T>(T value, Deep<List<T>> deeper) {
	}

	record Left(Right right) {
	}

	record Right(Left left) {
	}

	@JsonSubTypes(@JsonSubTypes.Type(Order.class))
	interface Named {

	}

	@JsonSubTypes(@JsonSubTypes.Type(Tree.class))
	interface NamedOther {

	}

}
