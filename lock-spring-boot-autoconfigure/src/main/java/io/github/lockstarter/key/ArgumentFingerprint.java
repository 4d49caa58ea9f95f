package io.github.lockstarter.key;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.BaseStream;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.io.InputStreamSource;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.multipart.MultipartFile;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.completion.CompletionAdapterRegistry;
import io.github.lockstarter.result.DeclaredTypes;

/**
 * A fingerprint of the arguments of a method, for the comparison of a call with an
 * earlier one. It includes all arguments except for the principal, the
 * {@code Idempotency-Key} itself, and those that are not data but give access to a
 * request.
 */
public final class ArgumentFingerprint {

	private static final List<Class<?>> ACCESS = List.of(Lease.class, Principal.class, OutputStream.class,
			Writer.class);

	private static final String SECURITY = "org.springframework.security.";

	private static final List<String> ACCESS_PACKAGES = List.of("jakarta.servlet.", "kotlin.coroutines.",
			"org.springframework.http.HttpHeaders", "org.springframework.http.HttpMethod",
			"org.springframework.http.server.", SECURITY, "org.springframework.ui.", "org.springframework.validation.",
			"org.springframework.web.bind.", "org.springframework.web.context.", "org.springframework.web.server.",
			"org.springframework.web.servlet.", "org.springframework.web.util.", "org.springframework.web.reactive.",
			"org.springframework.web.method.");

	private static final List<Class<?>> ONCE = List.of(InputStream.class, Reader.class, InputStreamSource.class,
			Iterator.class, BaseStream.class);

	private static final List<String> ONCE_BY_NAME = List.of("jakarta.servlet.http.Part",
			"org.springframework.http.codec.multipart.", "org.springframework.web.multipart.MultipartRequest",
			"org.springframework.web.multipart.MultipartHttpServletRequest");

	private final Method method;

	private final Class<?> type;

	/** The positions of the arguments that are included. */
	private final List<Integer> counted;

	/**
	 * Creates a fingerprint.
	 * @param type the class of the bean
	 * @throws LockConfigurationException if an argument can be read only once, or is an
	 * entity
	 */
	public ArgumentFingerprint(Method method, Class<?> type) {
		this.method = method;
		this.type = type;
		Parameter[] parameters = method.getParameters();
		this.counted = IntStream.range(0, parameters.length).filter((i) -> counts(parameters[i])).boxed().toList();
		for (int i : this.counted) {
			Class<?> argument = parameters[i].getType();
			if (DeclaredTypes.namedIn(parameters[i].getParameterizedType())
				.stream()
				.anyMatch(ArgumentFingerprint::isOnce)) {
				throw new LockConfigurationException(
						"@ExclusiveRequest on %s: replay compares arguments, but a %s can be read only once."
							.formatted(method.toGenericString(), argument.getSimpleName()),
						"Declare the parameter as the value itself, or remove replay.");
			}
			Class<?> entity = EntityTypes.find(parameters[i].getParameterizedType());
			if (entity != null) {
				throw new LockConfigurationException(
						"@ExclusiveRequest on %s: replay compares arguments, but a %s is an entity, which may have changed when the call is repeated."
							.formatted(method.toGenericString(), entity.getSimpleName()),
						"Declare a parameter with its identifier or with what the caller wants, or remove replay.");
			}
		}
	}

	static boolean isOnce(Class<?> type) {
		boolean once = CompletionAdapterRegistry.find(type) != null
				|| ONCE.stream().anyMatch((each) -> each.isAssignableFrom(type))
				|| ONCE_BY_NAME.stream().anyMatch(type.getName()::startsWith);
		return once && type != MultipartFile.class;
	}

	private static boolean counts(Parameter parameter) {
		Class<?> type = parameter.getType();
		boolean access = ACCESS.stream().anyMatch((each) -> each.isAssignableFrom(type)) || isAccess(type.getName())
				|| MergedAnnotations.from(parameter)
					.stream()
					.anyMatch((annotation) -> annotation.getType().getName().startsWith(SECURITY));
		return isOnce(type) || (!access && !isKey(parameter));
	}

	/**
	 * Returns whether the parameter is the key itself, which clients may send with or
	 * without quotes.
	 */
	private static boolean isKey(Parameter parameter) {
		RequestHeader header = AnnotatedElementUtils.findMergedAnnotation(parameter, RequestHeader.class);
		return header != null && header.name().equalsIgnoreCase(IdempotencyKeyHeader.NAME);
	}

	private static boolean isAccess(String type) {
		return ACCESS_PACKAGES.stream().anyMatch(type::startsWith);
	}

	/**
	 * Returns the text that is equal for calls with equal arguments.
	 * @throws LockConfigurationException if one of them cannot be written as JSON
	 */
	public String of(LockInvocation call) {
		List<@Nullable Object> values = new ArrayList<>();
		values.add(ClassUtils.getQualifiedMethodName(this.method, this.type)
				+ Arrays.toString(this.method.getParameterTypes()));
		this.counted.forEach((i) -> values.add(call.getArgs()[i]));
		try {
			return CanonicalJson.writeState(values);
		}
		catch (IllegalArgumentException ex) {
			throw new LockConfigurationException(
					"@ExclusiveRequest on %s: replay compares arguments, but an argument cannot be written as JSON: %s"
						.formatted(this.method.toGenericString(), ex.getMessage()),
					"Declare parameters that can be written as JSON, or remove replay.");
		}
	}

}
