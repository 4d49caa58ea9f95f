package io.github.lockstarter.aop;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

import org.springframework.core.io.InputStreamSource;
import org.springframework.http.HttpEntity;
import org.springframework.web.multipart.MultipartFile;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;

/**
 * A digest of the arguments of a method, so that a request can be compared with an
 * earlier one. All arguments count, except for those that are not data but access to the
 * request, and the caller.
 */
final class ArgumentDigest {

	private static final List<Class<?>> ACCESS = List.of(Lease.class, Principal.class, OutputStream.class,
			Writer.class);

	private static final List<String> ACCESS_PACKAGES = List.of("jakarta.servlet.", "kotlin.coroutines.",
			"org.springframework.http.", "org.springframework.security.", "org.springframework.ui.",
			"org.springframework.validation.", "org.springframework.web.");

	private static final List<Class<?>> ONCE = List.of(InputStream.class, Reader.class, InputStreamSource.class);

	private static final List<String> ONCE_BY_NAME = List.of("jakarta.servlet.http.Part",
			"org.springframework.http.codec.multipart.");

	private final Method method;

	/** The places of those that count. */
	private final List<Integer> counted;

	/**
	 * Creates a digest.
	 * @throws LockConfigurationException if an argument can be read only once
	 */
	ArgumentDigest(Method method) {
		this.method = method;
		Parameter[] parameters = method.getParameters();
		this.counted = IntStream.range(0, parameters.length).filter((i) -> counts(parameters[i])).boxed().toList();
		for (int i : this.counted) {
			Class<?> type = parameters[i].getType();
			if (type != MultipartFile.class && isOnce(type)) {
				throw new LockConfigurationException(
						"@ExclusiveRequest on %s: replay compares arguments, but a %s can be read only once."
							.formatted(method.toGenericString(), type.getSimpleName()),
						"Declare the parameter as the value itself, or leave out replay.");
			}
		}
	}

	private static boolean isOnce(Class<?> type) {
		return Works.of(type) != null || ONCE.stream().anyMatch((once) -> once.isAssignableFrom(type))
				|| ONCE_BY_NAME.stream().anyMatch(type.getName()::startsWith);
	}

	private static boolean counts(Parameter parameter) {
		Class<?> type = parameter.getType();
		if (HttpEntity.class.isAssignableFrom(type) || type == MultipartFile.class || isOnce(type)) {
			return true;
		}
		return ACCESS.stream().noneMatch((access) -> access.isAssignableFrom(type)) && !isAccess(type.getName())
				&& Arrays.stream(parameter.getAnnotations())
					.map(Annotation::annotationType)
					.noneMatch((annotation) -> annotation.getName().startsWith("org.springframework.security."));
	}

	private static boolean isAccess(String type) {
		return ACCESS_PACKAGES.stream().anyMatch(type::startsWith);
	}

	/**
	 * Returns the digest of a call's arguments.
	 * @throws LockConfigurationException if one of them cannot be written as JSON
	 */
	String of(@Nullable Object[] args) {
		List<@Nullable Object> values = new ArrayList<>();
		values.add(this.method.toGenericString());
		this.counted.forEach((i) -> values.add(value(args[i])));
		try {
			return KeyText.digest(values);
		}
		catch (JacksonException ex) {
			throw new LockConfigurationException(
					"@ExclusiveRequest on %s: replay compares arguments, but one cannot be written as JSON: %s"
						.formatted(this.method.toGenericString(), ex.getOriginalMessage()),
					"Declare parameters that can be, or leave out replay.");
		}
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

	private static @Nullable Object value(@Nullable Object arg) {
		if (arg instanceof HttpEntity<?> entity) {
			return value(entity.getBody());
		}
		if (arg instanceof MultipartFile file) {
			return Arrays.asList(file.getName(), file.getOriginalFilename(), digest(file));
		}
		return arg;
	}

}
