package io.github.lockstarter.result;

import java.lang.annotation.Annotation;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.annotation.JsonProperty.Access;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;

import org.springframework.util.ReflectionUtils;

/**
 * Finds properties that are lost when a value is written as JSON and read again: those
 * that are written and never set, and those that are set and never written, at any depth.
 * A property without a field of its own is calculated, and is not lost. A class that does
 * not write itself as a bean is not examined, since its author wrote both directions.
 */
final class LostProperties {

	private static final List<Class<? extends Annotation>> OTHER_FORMATS = List.of(JsonSerialize.class,
			JsonDeserialize.class, JsonIgnoreProperties.class, JsonIncludeProperties.class);

	private final JsonMapper mapper;

	private final SerializationConfig writing;

	private final DeserializationConfig reading;

	private final Set<JavaType> seen = new HashSet<>();

	private LostProperties(JsonMapper mapper) {
		this.mapper = mapper;
		this.writing = mapper.serializationConfig();
		this.reading = mapper.deserializationConfig();
	}

	/**
	 * Checks the properties of values of a type.
	 * @throws IllegalStateException if one is lost
	 */
	static void check(JsonMapper mapper, JavaType type) {
		new LostProperties(mapper).check(type);
	}

	private void check(JavaType type) {
		if (!this.seen.add(type)) {
			return;
		}
		if (type.getContentType() != null) {
			check(type.getContentType());
		}
		type.getBindings().getTypeParameters().forEach(this::check);
		if (TypeShape.isPlatform(type.getRawClass()) || type.isPrimitive() || type.isEnumType()) {
			return;
		}
		AnnotatedClass annotated = this.writing.classIntrospectorInstance().introspectClassAnnotations(type);
		List<NamedType> subtypes = writingAnnotations().findSubtypes(this.writing, annotated);
		if (subtypes != null) {
			// A subclass inherits the annotation.
			subtypes.stream()
				.map(NamedType::getType)
				.filter(type.getRawClass()::isAssignableFrom)
				.forEach((each) -> check(this.mapper.getTypeFactory().constructSpecializedType(type, each)));
		}
		Set<Object> set = type.isConcrete() ? set(type) : null;
		if (set != null) {
			checkBean(type, annotated, set);
		}
	}

	/**
	 * Returns the names of the properties that are set when a value is read; {@code null}
	 * if the type is not written and read as its properties are.
	 */
	private @Nullable Set<Object> set(JavaType type) {
		try {
			ValueSerializer<?> writer = this.mapper._serializationContext().findValueSerializer(type);
			ValueDeserializer<?> reader = this.mapper._deserializationContext()
				.findNonContextualValueDeserializer(type);
			return ((writer instanceof BeanSerializerBase || writer instanceof UnknownSerializer)
					&& reader instanceof BeanDeserializerBase bean && !isDelegating(bean))
							? Set.copyOf(bean.getKnownPropertyNames()) : null;
		}
		catch (JacksonException ex) {
			return null;
		}
	}

	/** Its creator has one argument, with all that was written. */
	private static boolean isDelegating(BeanDeserializerBase reader) {
		return reader.getValueInstantiator().canCreateUsingDelegate()
				|| reader.getValueInstantiator().canCreateUsingArrayDelegate();
	}

	private void checkBean(JavaType type, AnnotatedClass annotated, Set<Object> set) {
		BeanDescription written = this.writing.classIntrospectorInstance().introspectForSerialization(type, annotated);
		JsonTypeInfo.Value typeInfo = writingAnnotations().findPolymorphicTypeInfo(this.writing, annotated);
		for (BeanPropertyDefinition property : written.findProperties()) {
			boolean read = set.contains(property.getName()) || isUnwrapped(property)
					|| (typeInfo != null && property.getName().equals(typeInfo.getPropertyName()));
			if (property.couldSerialize() && !read && hasField(type, property)) {
				throw lost(type, property, "is written, but not read");
			}
			if (property.couldSerialize() && isWrittenAsItsType(property)) {
				check(property.getPrimaryType());
			}
		}
		for (BeanPropertyDefinition property : read(type).findProperties()) {
			Access access = this.reading.getAnnotationIntrospector()
				.findPropertyAccess(this.reading, property.getPrimaryMember());
			if (access == Access.WRITE_ONLY) {
				throw lost(type, property, "is read, but not written");
			}
		}
	}

	private BeanDescription read(JavaType type) {
		ClassIntrospector introspector = this.reading.classIntrospectorInstance();
		return introspector.introspectForDeserialization(type, introspector.introspectClassAnnotations(type));
	}

	private AnnotationIntrospector writingAnnotations() {
		return this.writing.getAnnotationIntrospector();
	}

	private boolean isUnwrapped(BeanPropertyDefinition property) {
		AnnotatedMember member = property.getAccessor();
		return member != null && writingAnnotations().findUnwrappingNameTransformer(this.writing, member) != null;
	}

	/** An annotation of the property may select another format, or other properties. */
	private boolean isWrittenAsItsType(BeanPropertyDefinition property) {
		AnnotatedMember member = property.getAccessor();
		return member != null && Stream.of(member, property.getMutator(), property.getField())
			.filter(Objects::nonNull)
			.noneMatch((each) -> OTHER_FORMATS.stream().anyMatch(each::hasAnnotation));
	}

	private static boolean hasField(JavaType type, BeanPropertyDefinition property) {
		Field field = ReflectionUtils.findField(type.getRawClass(), property.getInternalName());
		return field != null && !Modifier.isTransient(field.getModifiers());
	}

	private static IllegalStateException lost(JavaType type, BeanPropertyDefinition property, String how) {
		return new IllegalStateException("the property '%s' of %s %s, so it would be lost".formatted(property.getName(),
				type.getRawClass().getName(), how));
	}

}
