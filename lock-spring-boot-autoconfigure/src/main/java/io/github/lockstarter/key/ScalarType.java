package io.github.lockstarter.key;

import java.io.File;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalAmount;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TimeZone;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.util.ClassUtils;

/**
 * A type of scalars: values without parts, such as texts, numbers, dates and constants of
 * enums, whose text tells them from all others of their type.
 */
final class ScalarType {

	private static final Set<Class<?>> OPTIONAL_NUMBERS = Set.of(OptionalInt.class, OptionalLong.class,
			OptionalDouble.class);

	/** The types whose values may have a blank text. */
	private static final List<Class<?>> BLANK = List.of(CharSequence.class, Character.class, Locale.class, URI.class,
			File.class, Path.class, Pattern.class);

	private static final ClassValue<Optional<ScalarType>> TYPES = new ClassValue<>() {

		@Override
		protected Optional<ScalarType> computeValue(Class<?> type) {
			return isScalar(type) ? Optional.of(new ScalarType(type)) : Optional.empty();
		}

	};

	private final String name;

	private final boolean number;

	private final boolean mayBeBlank;

	private final Function<Object, String> text;

	private ScalarType(Class<?> type) {
		this.name = published(type).getName();
		this.number = Number.class.isAssignableFrom(type) && this.name.startsWith("java.");
		this.mayBeBlank = BLANK.stream().anyMatch((each) -> each.isAssignableFrom(type));
		this.text = textOf(type);
	}

	/** Returns the type of scalars of a class; {@code null} if they are no scalars. */
	static @Nullable ScalarType of(Class<?> type) {
		return TYPES.get(type).orElse(null);
	}

	/** Returns the name of the type, which tells values with the same text apart. */
	String name() {
		return this.name;
	}

	/** Returns whether values are numbers, which JSON can express. */
	boolean isNumber() {
		return this.number;
	}

	/** Returns the text of a value. */
	String textOf(Object scalar) {
		return this.text.apply(scalar);
	}

	/** Returns whether the text of a value is blank, as that of a root locale is. */
	boolean isBlank(Object scalar) {
		return this.mayBeBlank && textOf(scalar).isBlank();
	}

	private static boolean isScalar(Class<?> type) {
		// The text of such a value of the application may tell only a part of it.
		boolean partly = Number.class.isAssignableFrom(type) || TemporalAmount.class.isAssignableFrom(type)
				|| TemporalAccessor.class.isAssignableFrom(type);
		if ((partly && !Enum.class.isAssignableFrom(type) && !type.getName().startsWith("java."))
				|| (CharSequence.class.isAssignableFrom(type) && !PlainValues.containsAllOf(type))) {
			return false;
		}
		boolean simple = BeanUtils.isSimpleValueType(type) || TemporalAmount.class.isAssignableFrom(type)
				|| TemporalAccessor.class.isAssignableFrom(type) || OPTIONAL_NUMBERS.contains(type);
		return simple && hasText(type);
	}

	/** The text that all objects inherit differs between instances. */
	private static boolean hasText(Class<?> type) {
		Method toString = ClassUtils.getMethodIfAvailable(type, "toString");
		return toString == null || toString.getDeclaringClass() != Object.class;
	}

	/**
	 * Returns the type that developers know: the class of a value may be one that the JDK
	 * does not publish.
	 */
	private static Class<?> published(Class<?> type) {
		if (Enum.class.isAssignableFrom(type)) {
			return type.isEnum() ? type : type.getSuperclass();
		}
		return Stream
			.<Class<?>>of(Path.class, ZoneId.class, Date.class, TimeZone.class, Charset.class, InetAddress.class)
			.filter((each) -> each.isAssignableFrom(type))
			.findFirst()
			.orElse(type);
	}

	private static Function<Object, String> textOf(Class<?> type) {
		if (Enum.class.isAssignableFrom(type)) {
			return (value) -> ((Enum<?>) value).name();
		}
		if (Date.class.isAssignableFrom(type)) {
			return (value) -> instant((Date) value).toString();
		}
		if (TimeZone.class.isAssignableFrom(type)) {
			return (value) -> ((TimeZone) value).getID();
		}
		if (InetAddress.class.isAssignableFrom(type)) {
			// Neither the name nor the network interface is a part of an address.
			return (value) -> ((InetAddress) value).getHostAddress().replaceFirst("%.*", "");
		}
		if (type == Pattern.class) {
			return (value) -> ((Pattern) value).pattern() + flags((Pattern) value);
		}
		return Object::toString;
	}

	/** A timestamp of SQL has nanoseconds; a date and a time of SQL are no instants. */
	@SuppressWarnings("JavaUtilDate") // Applications use keys of this type.
	private static Instant instant(Date date) {
		try {
			return date.toInstant();
		}
		catch (UnsupportedOperationException ex) {
			return Instant.ofEpochMilli(date.getTime());
		}
	}

	/** No pattern ends with such flags, because they are not valid. */
	private static String flags(Pattern pattern) {
		return (pattern.flags() == 0) ? "" : "(?%d)".formatted(pattern.flags());
	}

}
