package io.github.lockstarter.web.servlet;

import java.util.Optional;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.core.MethodIntrospector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.method.HandlerMethod;

import io.github.lockstarter.key.EntityTypes;

/**
 * The entities that Spring MVC may load for a handler: arguments, and attributes of the
 * model that a method of its controller returns.
 */
final class LoadedEntities {

	private static final Log logger = LogFactory.getLog(LoadedEntities.class);

	private LoadedEntities() {
	}

	/** Returns the class of one of them. */
	static Optional<Class<?>> find(HandlerMethod handler) {
		return Stream.concat(arguments(handler), modelAttributes(handler)).findFirst();
	}

	/** Logs a warning for a handler that gets an entity from before its lock. */
	static void warn(HandlerMethod handler, Class<?> entity) {
		logger.warn(
				"%s may get a %s that is older than its lock: Spring MVC loads it before. Choose a key that reads only the request, such as pathVariable('…'), or load it under the lock, with spring.jpa.open-in-view=false (see \"Before the arguments\" in docs/handlers.md)."
					.formatted(handler.getShortLogMessage(), entity.getSimpleName()));
	}

	private static Stream<Class<?>> arguments(HandlerMethod handler) {
		return Stream.of(handler.getMethodParameters())
			.filter((parameter) -> !parameter.hasParameterAnnotation(RequestBody.class)
					&& !parameter.hasParameterAnnotation(RequestPart.class))
			.map(ResolvableType::forMethodParameter)
			.flatMap(LoadedEntities::entities);
	}

	private static Stream<Class<?>> modelAttributes(HandlerMethod handler) {
		return MethodIntrospector
			.selectMethods(handler.getBeanType(),
					(MethodIntrospector.MetadataLookup<ResolvableType>) (
							method) -> (MergedAnnotations.from(method).isPresent(ModelAttribute.class)
									&& !MergedAnnotations.from(method).isPresent(RequestMapping.class))
											? ResolvableType.forMethodReturnType(method, handler.getBeanType()) : null)
			.values()
			.stream()
			.flatMap(LoadedEntities::entities);
	}

	/** Also those in an {@link Optional} or a collection. */
	private static Stream<Class<?>> entities(ResolvableType type) {
		return Stream.concat(Stream.of(type), Stream.of(type.getGenerics()))
			.<Class<?>>map(ResolvableType::toClass)
			.filter(EntityTypes::contains);
	}

}
