package io.github.lockstarter.key;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Array;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.io.JsonStringEncoder;
import tools.jackson.databind.JsonNode;

import org.springframework.http.HttpEntity;
import org.springframework.util.MimeType;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.multipart.MultipartFile;

import io.github.lockstarter.LockKey;

/**
 * Writes JSON that is equal for equal values, and different for different ones. Texts,
 * numbers, booleans and lists are written as themselves, and all other values with the
 * name of their type: <code>{"com.example.Order":{"count":2,"number":"A-1"}}</code>. How
 * the application writes a value for its clients does not matter.
 */
final class CanonicalJson {

	/** As deep as Jackson reads JSON, and some levels around it. */
	private static final int MOST_LEVELS = 512;

	private static final int LONGEST_ELEMENT = 64;

	/**
	 * The types whose {@linkplain PlainValues plain values} are not described by the
	 * fields of their classes. The first that fits is used.
	 */
	private static final List<Form<?>> FORMS = List.of(new Form<>(Boolean.class, CanonicalJson::literal),
			new Form<>(Principal.class, CanonicalJson::principal), new Form<>(Enum.class, CanonicalJson::constant),
			new Form<>(CharSequence.class, CanonicalJson::text), new Form<>(Map.class, CanonicalJson::map),
			new Form<>(Set.class, CanonicalJson::set), new Form<>(Collection.class, CanonicalJson::list),
			new Form<>(Object[].class, CanonicalJson::array), new Form<>(byte[].class, CanonicalJson::bytes),
			new Form<>(Optional.class, CanonicalJson::optional), new Form<>(Map.Entry.class, CanonicalJson::entry),
			new Form<>(JsonNode.class, CanonicalJson::tree), new Form<>(HttpEntity.class, CanonicalJson::entity),
			new Form<>(MultipartFile.class, CanonicalJson::file), new Form<>(MimeType.class, CanonicalJson::mimeType));

	private static final ClassValue<Form<?>> BY_CLASS = new ClassValue<>() {

		@Override
		protected Form<?> computeValue(Class<?> type) {
			return Form.of(type);
		}

	};

	private final StringBuilder json = new StringBuilder(128);

	private final boolean readableOnly;

	private int level;

	private CanonicalJson(boolean readableOnly) {
		this.readableOnly = readableOnly;
	}

	/**
	 * Writes a value, but fails for objects that show nothing of themselves.
	 * @throws IllegalArgumentException if it cannot be written
	 */
	static String write(@Nullable Object value) {
		return write(value, true);
	}

	/**
	 * Writes a value, including objects that show nothing of themselves.
	 * @throws IllegalArgumentException if it cannot be written
	 */
	static String writeState(@Nullable Object value) {
		return write(value, false);
	}

	private static String write(@Nullable Object value, boolean readableOnly) {
		CanonicalJson writer = new CanonicalJson(readableOnly);
		writer.append(value);
		return writer.json.toString();
	}

	private void append(@Nullable Object given) {
		Object value = ValueClasses.unwrap(given);
		if (value == null) {
			this.json.append("null");
			return;
		}
		if (this.level == MOST_LEVELS) {
			throw new IllegalArgumentException("A %s contains itself, or is nested in more than %d others"
				.formatted(value.getClass().getName(), MOST_LEVELS));
		}
		this.level++;
		BY_CLASS.get(value.getClass()).write(this, value);
		this.level--;
	}

	private void typed(String type, Object value) {
		begin(type);
		append(value);
		end();
	}

	private void begin(String type) {
		this.json.append("{\"").append(type).append("\":");
	}

	private void end() {
		this.json.append('}');
	}

	private void literal(Object value) {
		this.json.append(value);
	}

	private void text(CharSequence text) {
		this.json.append('"');
		if (isPlain(text)) {
			this.json.append(text);
		}
		else {
			JsonStringEncoder.getInstance().quoteAsString(text, this.json);
		}
		this.json.append('"');
	}

	/** No stream, for speed. */
	private static boolean isPlain(CharSequence text) {
		for (int i = 0; i < text.length(); i++) {
			char each = text.charAt(i);
			if (each < ' ' || each == '"' || each == '\\') {
				return false;
			}
		}
		return true;
	}

	/** Its other properties change between requests. */
	private void principal(Principal principal) {
		append(principal.getName());
	}

	private void constant(Enum<?> constant) {
		typed(constant.getDeclaringClass().getName(), constant.name());
	}

	/** Numbers of different types are one if they have the same text. */
	private void scalar(ScalarType type, Object scalar) {
		if (type.isNumber()) {
			this.json.append(type.textOf(scalar));
		}
		else {
			typed(type.name(), type.textOf(scalar));
		}
	}

	private void list(Collection<?> elements) {
		char separator = '[';
		for (Object each : elements) {
			this.json.append(separator);
			append(each);
			separator = ',';
		}
		this.json.append((separator == '[') ? "[]" : "]");
	}

	/** Sorts the elements of a set, which have no order of their own. */
	private void set(Set<?> set) {
		List<String> elements = new ArrayList<>(set.size());
		for (Object each : set) {
			elements.add(written(each));
		}
		elements.sort(Comparator.naturalOrder());
		begin(Set.class.getName());
		this.json.append('[').append(String.join(",", elements)).append(']');
		end();
	}

	/** Writes an entry as a list, because the key may be any value. */
	private void map(Map<?, ?> map) {
		record Entry(String key, @Nullable Object value) {
		}
		List<Entry> entries = new ArrayList<>(map.size());
		for (Map.Entry<?, ?> each : map.entrySet()) {
			entries.add(new Entry(written(each.getKey()), each.getValue()));
		}
		// Keys that are different numbers with one text would keep the order of the map.
		entries.sort(Comparator.comparing(Entry::key).thenComparing((entry) -> written(entry.value())));
		begin(Map.class.getName());
		char separator = '[';
		for (Entry entry : entries) {
			this.json.append(separator).append('[').append(entry.key()).append(',');
			append(entry.value());
			this.json.append(']');
			separator = ',';
		}
		this.json.append(entries.isEmpty() ? "[]" : "]");
		end();
	}

	/**
	 * Returns the JSON of an element. It is a digest if it would be long, because a set
	 * in a set in a set would be copied once for each of them. A digest begins as no JSON
	 * does.
	 */
	private String written(@Nullable Object element) {
		int begin = this.json.length();
		append(element);
		String written = this.json.substring(begin);
		this.json.setLength(begin);
		return (written.length() > LONGEST_ELEMENT) ? LockKey.ofDigest("element", written).key() : written;
	}

	/** An array is the list of its elements. */
	private void array(Object[] array) {
		list(Arrays.asList(array));
	}

	private void primitives(Object array) {
		List<Object> elements = new ArrayList<>();
		for (int i = 0; i < Array.getLength(array); i++) {
			elements.add(Array.get(array, i));
		}
		list(elements);
	}

	private void bytes(byte[] bytes) {
		typed("byte[]", Base64.getEncoder().encodeToString(bytes));
	}

	private void optional(Optional<?> optional) {
		typed(Optional.class.getName(), optional.stream().toList());
	}

	private void entry(Map.Entry<?, ?> entry) {
		typed(Map.Entry.class.getName(), Arrays.asList(entry.getKey(), entry.getValue()));
	}

	private void tree(JsonNode node) {
		begin(JsonNode.class.getName());
		append(JsonContent.of(node));
		end();
	}

	/** Its headers change between requests. */
	private void entity(HttpEntity<?> entity) {
		begin(HttpEntity.class.getName());
		append(entity.getBody());
		end();
	}

	private void file(MultipartFile file) {
		typed(MultipartFile.class.getName(), Arrays.asList(file.getName(), file.getOriginalFilename(), digest(file)));
	}

	private static byte[] digest(MultipartFile file) {
		try (DigestInputStream content = new DigestInputStream(file.getInputStream(),
				MessageDigest.getInstance("SHA-256"))) {
			content.transferTo(OutputStream.nullOutputStream());
			return content.getMessageDigest().digest();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** One of its fields is a cache. */
	private void mimeType(MimeType type) {
		typed(MimeType.class.getName(), List.of(type.getType(), type.getSubtype(), type.getParameters()));
	}

	/**
	 * Writes the fields of an object.
	 * @param shown writes what an interface shows of it, if that may not be in its fields
	 */
	private void object(ObjectState state, @Nullable Form<?> shown, Object object) {
		if (!state.isReadable() && (this.readableOnly || state.parts().isEmpty())) {
			throw new IllegalArgumentException("A %s has no readable properties".formatted(state.type()));
		}
		begin(state.type());
		char separator = '{';
		if (shown != null) {
			// No field has this name.
			this.json.append("{\"\":");
			shown.write(this, object);
			separator = ',';
		}
		for (ObjectState.StatePart part : state.parts()) {
			this.json.append(separator).append('"').append(part.name()).append("\":");
			append(part.of(object));
			separator = ',';
		}
		this.json.append((separator == '{') ? "{}" : "}");
		end();
	}

	/**
	 * How values of a type are written.
	 *
	 * @param type the type
	 * @param writer writes a value
	 */
	private record Form<T>(Class<T> type, BiConsumer<CanonicalJson, T> writer) {

		static Form<?> of(Class<?> type) {
			for (Form<?> each : FORMS) {
				if (each.type().isAssignableFrom(type)) {
					return PlainValues.containsAllOf(type) ? each : each.unlessMore(type);
				}
			}
			ScalarType scalar = ScalarType.of(type);
			if (scalar != null) {
				return new Form<>(Object.class, (json, value) -> json.scalar(scalar, value));
			}
			if (type.isArray()) {
				return new Form<>(Object.class, CanonicalJson::primitives);
			}
			ObjectState state = ObjectState.of(type);
			return new Form<>(Object.class, (json, value) -> json.object(state, null, value));
		}

		/** Writes values of the class in this form only if they are no more than that. */
		private Form<?> unlessMore(Class<?> type) {
			Supplier<ObjectState> state = SingletonSupplier.of(() -> ObjectState.beyondLibraries(type));
			return new Form<>(Object.class, (json, value) -> {
				if (PlainValues.contains(value)) {
					write(json, value);
				}
				else {
					ObjectState more = state.get();
					json.object(more, more.isComplete() ? null : this, value);
				}
			});
		}

		void write(CanonicalJson json, Object value) {
			this.writer.accept(json, this.type.cast(value));
		}

	}

}
