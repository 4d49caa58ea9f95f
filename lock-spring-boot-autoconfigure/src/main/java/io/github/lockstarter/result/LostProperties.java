package io.github.lockstarter.result;

import java.util.Set;
import java.util.stream.Collectors;

import com.fasterxml.jackson.annotation.JsonProperty.Access;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.ReflectionUtils;

/**
 * Finds properties of a class that are lost when a value is written as JSON and read
 * again: those that are written and never set, and those that are set and never written.
 * A property without a field of its own is calculated, and is not lost.
 */
final class LostProperties {

	private LostProperties() {
	}

	/**
	 * Checks the properties of a class.
	 * @throws IllegalStateException if one is lost
	 */
	static void check(JsonMapper mapper, Class<?> type) {
		JavaType bean = mapper.constructType(type);
		if (bean.isInterface() || bean.isEnumType() || bean.isContainerType()) {
			return;
		}
		ClassIntrospector writing = mapper.serializationConfig().classIntrospectorInstance();
		BeanDescription written = writing.introspectForSerialization(bean, writing.introspectClassAnnotations(bean));
		ClassIntrospector reading = mapper.deserializationConfig().classIntrospectorInstance();
		BeanDescription read = reading.introspectForDeserialization(bean, reading.introspectClassAnnotations(bean));
		Set<String> settable = read.findProperties()
			.stream()
			.filter(BeanPropertyDefinition::couldDeserialize)
			.map(BeanPropertyDefinition::getName)
			.collect(Collectors.toSet());
		for (BeanPropertyDefinition property : written.findProperties()) {
			boolean set = settable.contains(property.getName()) || property.hasSetter();
			if (property.couldSerialize() && !set && hasField(type, property)) {
				throw lost(type, property, "is written, but not read");
			}
		}
		for (BeanPropertyDefinition property : read.findProperties()) {
			Access access = mapper.deserializationConfig()
				.getAnnotationIntrospector()
				.findPropertyAccess(mapper.deserializationConfig(), property.getPrimaryMember());
			if (access == Access.WRITE_ONLY) {
				throw lost(type, property, "is read, but not written");
			}
		}
	}

	private static boolean hasField(Class<?> type, BeanPropertyDefinition property) {
		return ReflectionUtils.findField(type, property.getInternalName()) != null;
	}

	private static IllegalStateException lost(Class<?> type, BeanPropertyDefinition property, String how) {
		return new IllegalStateException(
				"the property '%s' of %s %s, so it would be lost".formatted(property.getName(), type.getName(), how));
	}

}
