package io.github.lockstarter.key;

import java.beans.PropertyDescriptor;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JacksonAnnotation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.NativeDetector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * What tells an object from others: its class, and the fields of the class and of its
 * superclasses. Fields are complete, unlike getters. Annotations for JSON are not
 * considered, because they say what others may see of the object.
 */
final class ObjectState {

	private final String type;

	private final List<StatePart> parts;

	private final boolean readable;

	private final boolean complete;

	private ObjectState(String type, List<StatePart> parts, boolean readable, boolean complete) {
		this.type = type;
		this.parts = parts;
		this.readable = readable;
		this.complete = complete;
	}

	/**
	 * Returns the state of objects of the class.
	 * @throws IllegalArgumentException if there is no access to it
	 */
	static ObjectState of(Class<?> type) {
		return isOfInterfaces(type) ? ofInterfaces(type) : ofFields(type);
	}

	/**
	 * Returns the state of objects of the class without fields that a library declares.
	 * @throws IllegalArgumentException if there is no access to it
	 */
	static ObjectState beyondLibraries(Class<?> type) {
		if (isOfInterfaces(type)) {
			return ofInterfaces(type);
		}
		Class<?> user = userClass(type);
		List<Field> all = fields(user);
		List<Field> fields = all.stream().filter((each) -> !PlainValues.isOfLibrary(each.getDeclaringClass())).toList();
		List<StatePart> parts = parts(fields, type);
		return new ObjectState(user.getName(), parts, isKnown(fields), !parts.isEmpty() && parts.size() == all.size());
	}

	private static boolean isOfInterfaces(Class<?> type) {
		return Proxy.isProxyClass(type) || type.isHidden();
	}

	/** Returns the name of the class. For a proxy, it is what the proxy stands for. */
	String type() {
		return this.type;
	}

	/** Returns the parts of the state, sorted by name. */
	List<StatePart> parts() {
		return this.parts;
	}

	/**
	 * Returns whether the object shows anything of itself: a property, a field, or its
	 * JSON. An object that does not is rather a service than a value.
	 */
	boolean isReadable() {
		return this.readable;
	}

	/** Returns whether no field is left out. */
	boolean isComplete() {
		return this.complete;
	}

	private static ObjectState ofFields(Class<?> type) {
		Class<?> user = userClass(type);
		List<Field> fields = fields(user);
		List<StatePart> parts = parts(fields, type);
		boolean shown = user.isRecord() || getters(user).stream().anyMatch(ObjectState::isGetter)
				|| hasReadableMember(user) || (fields.isEmpty() && isDistinctWithoutFields(user));
		boolean known = !parts.isEmpty() || (fields.isEmpty() && isKnown(fields));
		return new ObjectState(user.getName(), parts, shown && known, parts.size() == fields.size());
	}

	private static List<Field> fields(Class<?> user) {
		return Stream.<Class<?>>iterate(user, (each) -> each != null && each != Object.class, Class::getSuperclass)
			.flatMap((each) -> Stream.of(each.getDeclaredFields()))
			.filter((each) -> !Modifier.isStatic(each.getModifiers()))
			.toList();
	}

	private static List<StatePart> parts(List<Field> fields, Class<?> type) {
		Class<?> user = userClass(type);
		return fields.stream()
			.filter(ObjectState::isState)
			.map((each) -> new StatePart(each.getName(), (user == type) ? accessible(each, type) : getter(each, user)))
			.sorted(Comparator.comparing(StatePart::name))
			.toList();
	}

	/** In a native image, a class without hints has no fields. */
	private static boolean isKnown(List<Field> fields) {
		return !fields.isEmpty() || !NativeDetector.inNativeImage();
	}

	/** The fields of a proxy of a class have no values. */
	static Class<?> userClass(Class<?> type) {
		return type.getName().contains("$HibernateProxy$") ? type.getSuperclass() : ClassUtils.getUserClass(type);
	}

	/**
	 * Returns whether the field is a part of the value: not so if it is a cache, or the
	 * object around that of an inner class.
	 */
	private static boolean isState(Field field) {
		return !Modifier.isTransient(field.getModifiers()) && !field.getType().getName().equals("kotlin.Lazy")
				&& !(field.isSynthetic() && field.getName().startsWith("this$"));
	}

	private static Field accessible(Field field, Class<?> type) {
		ClassLoader loader = field.getDeclaringClass().getClassLoader();
		// Fields of the JDK are different in each of its versions.
		if (loader != null && loader != ClassLoader.getPlatformClassLoader() && field.trySetAccessible()) {
			return field;
		}
		throw new IllegalArgumentException("A %s has fields of %s that cannot be read".formatted(type.getName(),
				field.getDeclaringClass().getName()));
	}

	private static Method getter(Field field, Class<?> type) {
		return getters(type).stream()
			.filter((each) -> each.getName().equals(field.getName()))
			.findFirst()
			.map(ObjectState::readMethod)
			.filter((each) -> !Modifier.isFinal(each.getModifiers()))
			.orElseThrow(() -> new IllegalArgumentException(
					"A proxy of %s has no getter for the field '%s'".formatted(type.getName(), field.getName())));
	}

	/** Such an object is readable only if no other method tells more than its getters. */
	private static ObjectState ofInterfaces(Class<?> type) {
		List<StatePart> parts = Stream.of(type.getInterfaces())
			.flatMap((each) -> getters(each).stream())
			.map((getter) -> new StatePart(getter.getName(), readMethod(getter)))
			.sorted(Comparator.comparing(StatePart::name))
			.toList();
		String interfaces = Stream.of(type.getInterfaces()).map(Class::getName).collect(Collectors.joining("&"));
		boolean complete = Stream.of(type.getInterfaces())
			.flatMap((each) -> Stream.of(each.getMethods()))
			.filter((each) -> each.getParameterCount() == 0 && each.getReturnType() != void.class)
			.allMatch((each) -> parts.stream().anyMatch((part) -> part.member().getName().equals(each.getName())));
		return new ObjectState(interfaces, complete ? parts : List.of(), complete && !parts.isEmpty(), complete);
	}

	private static List<PropertyDescriptor> getters(Class<?> type) {
		return Arrays.stream(BeanUtils.getPropertyDescriptors(type))
			.filter((each) -> each.getReadMethod() != null && each.getReadMethod().getDeclaringClass() != Object.class)
			.toList();
	}

	/** Spring also takes a method with the name of a field for its getter. */
	private static boolean isGetter(PropertyDescriptor property) {
		return !property.getReadMethod().getName().equals(property.getName());
	}

	private static Method readMethod(PropertyDescriptor property) {
		Method method = property.getReadMethod();
		ReflectionUtils.makeAccessible(method);
		return method;
	}

	private static boolean hasReadableMember(Class<?> type) {
		return Stream.of(type.getFields()).anyMatch((each) -> !Modifier.isStatic(each.getModifiers()))
				|| Stream.<Class<?>>iterate(type, (each) -> each != null && each != Object.class, Class::getSuperclass)
					.flatMap((each) -> Stream.<AnnotatedElement>concat(Stream.of(each.getDeclaredFields()),
							Stream.of(each.getDeclaredMethods())))
					.anyMatch((each) -> MergedAnnotations.from(each).isPresent(JacksonAnnotation.class));
	}

	/** Returns whether the class says that all its objects are equal, or has only one. */
	private static boolean isDistinctWithoutFields(Class<?> type) {
		Method equals = ReflectionUtils.findMethod(type, "equals", Object.class);
		return (equals != null && equals.getDeclaringClass() != Object.class)
				|| (KotlinDetector.isKotlinType(type) && ReflectionUtils.findField(type, "INSTANCE", type) != null);
	}

	/**
	 * A part of the state of an object.
	 *
	 * @param name its name
	 * @param member the field, or the getter of a proxy
	 */
	record StatePart(String name, Member member) {

		/** Returns the value of the part for an object. */
		@Nullable Object of(Object object) {
			return (this.member instanceof Method getter) ? ReflectionUtils.invokeMethod(getter, object)
					: ReflectionUtils.getField((Field) this.member, object);
		}

	}

}
