package io.github.lockstarter.result;

import java.io.InputStream;
import java.io.Reader;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.core.io.InputStreamSource;
import org.springframework.http.HttpEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.util.ClassUtils;

/**
 * Decides whether values of a type can be written as JSON and read by other callers.
 */
final class ShareableTypes {

	private static final List<Class<?>> ONCE = present("org.springframework.core.io.buffer.DataBuffer",
			"org.springframework.core.io.support.ResourceRegion", "org.springframework.http.codec.ServerSentEvent",
			"org.springframework.web.servlet.ModelAndView", "org.springframework.web.servlet.View",
			"org.springframework.ui.Model", "org.springframework.web.reactive.result.view.Rendering",
			"org.springframework.web.reactive.result.view.View",
			"org.springframework.web.servlet.function.ServerResponse",
			"org.springframework.web.reactive.function.server.ServerResponse",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
			"org.reactivestreams.Publisher");

	private static final List<Class<?>> ONCE_ANYWHERE = List.of(BaseStream.class, InputStream.class, Reader.class,
			Iterator.class, InputStreamSource.class, CompletionStage.class, Future.class, Callable.class,
			Flow.Publisher.class);

	private ShareableTypes() {
	}

	private static List<Class<?>> present(String... names) {
		ClassLoader classLoader = ShareableTypes.class.getClassLoader();
		return Arrays.stream(names)
			.filter((name) -> ClassUtils.isPresent(name, classLoader))
			.<Class<?>>map((name) -> ClassUtils.resolveClassName(name, classLoader))
			.toList();
	}

	/** Returns the type that is written as JSON: the body, for an entity. */
	static ResolvableType written(ResolvableType type) {
		return isEntity(type) ? type.as(HttpEntity.class).getGeneric() : type;
	}

	static boolean isEntity(ResolvableType type) {
		return HttpEntity.class.isAssignableFrom(type.toClass());
	}

	/** Returns why the type cannot be shared, or {@code null} if it can. */
	static @Nullable String objection(ResolvableType type) {
		if (isEntity(type) && type.toClass() != HttpEntity.class && type.toClass() != ResponseEntity.class) {
			return "a %s cannot be created from a stored result".formatted(type.toClass().getSimpleName());
		}
		ResolvableType written = written(type);
		if (written.resolve() == null || written.resolve() == Object.class) {
			return "its type is not declared, so it cannot be read";
		}
		return isOnce(written) ? "a %s can be read only once".formatted(written) : null;
	}

	private static boolean isOnce(ResolvableType type) {
		return DeclaredTypes.namedIn(DeclaredTypes.resolved(type))
			.stream()
			.anyMatch((named) -> Stream.concat(ONCE.stream(), ONCE_ANYWHERE.stream())
				.anyMatch((once) -> once.isAssignableFrom(named)));
	}

}
