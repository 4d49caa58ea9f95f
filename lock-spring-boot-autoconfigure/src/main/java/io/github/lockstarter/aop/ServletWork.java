package io.github.lockstarter.aop;

import java.util.stream.Stream;

import org.springframework.util.ClassUtils;

/**
 * A kind of result that only Spring MVC works on, and only for handlers. It is left as it
 * is, and Spring MVC tells when its work has ended.
 */
abstract class ServletWork implements Work {

	private final Class<?>[] types;

	/**
	 * Creates a kind.
	 * @param types the names of its types, of which not all need be there
	 */
	ServletWork(String... types) {
		ClassLoader classLoader = ServletWork.class.getClassLoader();
		this.types = Stream.of(types)
			.filter((name) -> ClassUtils.isPresent(name, classLoader))
			.map((name) -> ClassUtils.resolveClassName(name, classLoader))
			.toArray(Class<?>[]::new);
	}

	@Override
	public final boolean supports(Class<?> type) {
		return Stream.of(this.types).anyMatch((each) -> each.isAssignableFrom(type));
	}

}
