package io.github.lockstarter.aop;

import org.springframework.util.ClassUtils;

/**
 * Which optional libraries there are. A class that needs one of them is not even looked
 * at, which would load what it needs, before this has been asked.
 */
final class Present {

	static final boolean SERVLET = isPresent("jakarta.servlet.http.HttpServletRequest");

	static final boolean SPRING_MVC = SERVLET && isPresent("org.springframework.web.servlet.HandlerMapping");

	static final boolean REACTOR = isPresent("reactor.core.publisher.Flux");

	private Present() {
	}

	private static boolean isPresent(String name) {
		return ClassUtils.isPresent(name, Present.class.getClassLoader());
	}

}
