package io.github.lockstarter.operation;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.util.ReflectionUtils;

import io.github.lockstarter.annotation.ExclusiveRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The methods by which an annotated method is called.
 */
class LockedMethodsTests {

	private static final Method SAVE = method(Store.class, "save", String.class);

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
	@DisplayName("A method of a generic interface is that of an interface that gives it its type arguments, of which there is no bridge")
	void genericInterface() {
		assertThat(find(TestOperations.method(Saving.class, "save"), Texts.class))
			.isEqualTo(TestOperations.method(Texts.class, "save"));
	}

	@Test
	@DisplayName("So it is on a proxy of that interface, also by the method of the proxy, which has no type arguments")
	void jdkProxy() {
		Class<?> proxy = Proxy
			.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Texts.class }, (any, called, args) -> null)
			.getClass();
		Method expected = TestOperations.method(Texts.class, "save");
		assertThat(find(TestOperations.method(Saving.class, "save"), proxy)).isEqualTo(expected);
		assertThat(find(method(proxy, "save", Object.class), proxy)).isEqualTo(expected);
		assertThat(find(method(proxy, "save", String.class), proxy)).isEqualTo(expected);
	}

	@Test
	@DisplayName("On a proxy that extends a class, a method is found by that of the proxy, too, and by its bridge")
	void proxyOfClass() {
		ProxyFactory factory = new ProxyFactory(new Store());
		factory.setProxyTargetClass(true);
		Class<?> proxy = factory.getProxy().getClass();
		assertThat(find(method(proxy, "save", String.class), proxy)).isEqualTo(SAVE);
		assertThat(find(method(proxy, "save", Object.class), proxy)).isEqualTo(SAVE);
		assertThat(find(TestOperations.method(Saving.class, "save"), proxy)).isEqualTo(SAVE);
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
			assertThat(find(method(Store.class, "load", String.class), Store.class)).isNull();
			assertThat(find(TestOperations.method(Unrelated.class, "save"), Store.class)).isNull();
			assertThat(find(method(Store.class, "save", Integer.class), Store.class)).isNull();
			assertThat(find(TestOperations.method(Object.class, "toString"), Store.class)).isNull();
			assertThat(find(method(Store.class, "load", Object.class), Store.class)).isNull();
			assertThat(find(method(Store.class, "save", String.class, String.class), Store.class)).isNull();
			assertThat(find(method(Overloads.class, "copy", String.class, String.class), Overloads.class)).isNull();
			assertThat(find(method(Overloads.class, "copy", String.class, Number.class), Overloads.class)).isNull();
			assertThat(find(method(Overloads.class, "copy", String.class, Integer.class), Overloads.class)).isNotNull();
		}
	}

	@Test
	@DisplayName("A class without annotated methods has none")
	void none() {
		assertThat(new LockedMethods(Store.class, Map.of()).find(SAVE)).isNull();
		assertThat(find(TestOperations.method(Unrelated.class, "save"), Unrelated.class)).isNull();
	}

	private static Method method(Class<?> type, String name, Class<?>... parameters) {
		Method method = ReflectionUtils.findMethod(type, name, parameters);
		assertThat(method).isNotNull();
		return method;
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

		public void save(String value, String place) {
		}

		public void load(String value) {
		}

		/** With the parameters that the interface has after erasure. */
		public void load(Object value) {
		}

	}

	interface Texts extends Saving<String> {

		@Override
		@ExclusiveRequest
		void save(String value);

	}

	static class Overloads {

		@ExclusiveRequest
		public void copy(String from, Integer to) {
		}

		public void copy(String from, Number to) {
		}

		public void copy(String from, String to) {
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
