package io.github.lockstarter.aop;

import java.util.List;

import org.springframework.util.ClassUtils;

/**
 * Which optional libraries there are. A class that needs one of them is not even looked
 * at, which would load what it needs, before this has been asked.
 */
final class Present {

	/** What is looked for by its name. */
	static final List<String> NAMES = List.of("jakarta.servlet.http.HttpServletRequest",
			"org.springframework.web.servlet.HandlerMapping", "reactor.core.publisher.Flux",
			"org.springframework.transaction.support.TransactionSynchronizationManager");

	static final boolean SERVLET = isPresent(NAMES.get(0));

	static final boolean SPRING_MVC = SERVLET && isPresent(NAMES.get(1));

	static final boolean REACTOR = isPresent(NAMES.get(2));

	static final boolean TRANSACTIONS = isPresent(NAMES.get(3));

	private Present() {
	}

	private static boolean isPresent(String name) {
		return ClassUtils.isPresent(name, Present.class.getClassLoader());
	}

}
