package io.github.lockstarter.operation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.util.ReflectionUtils;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.TestOperations;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The methods by which an annotated method is called.
 */
class LockedMethodsTests {

	private static final Method SAVE = ReflectionUtils.findMethod(Store.class, "save", String.class);

	private final LockOperationSource operations = TestOperations.source();

	@Test
	@DisplayName("A method is found by itself, by that of a superclass and by that of an interface")
	void declarations() {
		assertThat(find(SAVE, Store.class)).isEqualTo(SAVE);
		assertThat(find(TestOperations.method(Base.class, "save"), Store.class)).isEqualTo(SAVE);
		assertThat(find(TestOperations.method(Saving.class, "save"), Store.class)).isEqualTo(SAVE);
	}

	@Test
	@DisplayName("It is found by the bridge that the compiler has made for it")
	void bridge() {
		Method bridge = Arrays.stream(Store.class.getDeclaredMethods())
			.filter(Method::isBridge)
			.findFirst()
			.orElseThrow();
		assertThat(find(bridge, Store.class)).isEqualTo(SAVE);
	}

	@Test
	@DisplayName("A method of a generic interface is found only on a class whose type arguments give the same parameters")
	void generic() {
		Method declared = TestOperations.method(Saving.class, "save");
		assertThat(find(declared, Store.class)).isNotNull();
		assertThat(find(declared, OtherOverload.class)).isNull();
	}

	@Test
	@DisplayName("An inherited method that implements an interface of the subclass is found by that interface")
	void inherited() {
		Method inherited = TestOperations.method(Part.class, "save");
		assertThat(find(TestOperations.method(Saving.class, "save"), Whole.class)).isEqualTo(inherited);
	}

	@Test
	@DisplayName("Methods with another name, other parameters or of another class are not found, however often they are called")
	void others() {
		for (int i = 0; i < 2; i++) {
			assertThat(find(TestOperations.method(Store.class, "load"), Store.class)).isNull();
			assertThat(find(TestOperations.method(Unrelated.class, "save"), Store.class)).isNull();
			assertThat(find(ReflectionUtils.findMethod(Store.class, "save", Integer.class), Store.class)).isNull();
			assertThat(find(TestOperations.method(Object.class, "toString"), Store.class)).isNull();
		}
	}

	@Test
	@DisplayName("A class without annotated methods has none")
	void none() {
		assertThat(new LockedMethods(Store.class, Map.of()).find(SAVE)).isNull();
		assertThat(find(TestOperations.method(Unrelated.class, "save"), Unrelated.class)).isNull();
	}

	private @Nullable Method find(Method called, Class<?> type) {
		LockedMethod found = this.operations.find(called, type);
		return (found != null) ? found.method() : null;
	}

	interface Saving<T> {

		void save(T value);

	}

	abstract static class Base<T> implements Saving<T> {

		@Override
		public abstract void save(T value);

	}

	static class Store extends Base<String> {

		@Override
		@ExclusiveRequest
		public void save(String value) {
		}

		public void save(Integer value) {
		}

		public void load(String value) {
		}

	}

	static class OtherOverload implements Saving<Integer> {

		@Override
		public void save(Integer value) {
		}

		@ExclusiveRequest
		public void save(List<String> values) {
		}

	}

	static class Part {

		@ExclusiveRequest
		public void save(String value) {
		}

	}

	static class Whole extends Part implements Saving<String> {

	}

	static class Unrelated {

		public void save(String value) {
		}

	}

}
