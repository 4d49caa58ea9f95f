package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * Puts the methods annotated with {@link ExclusiveRequest} under their locks. It stands
 * just outside transactions and caches, so that a lock is held until the transaction has
 * ended, and inside security, so that nobody locks what they may not call.
 */
public final class ExclusiveRequestAdvisor extends StaticMethodMatcherPointcutAdvisor {

	private final transient ExclusiveRequestSpecs specs;

	private ExclusiveRequestAdvisor(ExclusiveRequestSpecs specs, Supplier<LockRegistry> registry) {
		super(new ExclusiveRequestInterceptor(specs, registry));
		this.specs = specs;
		setOrder(Ordered.LOWEST_PRECEDENCE - 100);
		setClassFilter((type) -> !specs.of(type).isEmpty());
	}

	/**
	 * Creates the advisor. An advisor is created before most other beans, so it asks for
	 * nothing before it meets an annotation.
	 * @param registry where to get locks from
	 * @param operator what the operator says, by name of the lock
	 * @param defaults what holds where neither that nor an annotation says otherwise
	 * @param placeholders resolves placeholders in attributes of the annotation
	 */
	public ExclusiveRequestAdvisor(Supplier<LockRegistry> registry, Function<String, LockSettings> operator,
			Supplier<LockSettings> defaults, UnaryOperator<String> placeholders) {
		this(new ExclusiveRequestSpecs(operator, defaults, placeholders), registry);
	}

	/**
	 * Returns the names of the locks of all annotated methods found so far, which are
	 * those of all beans that have been created.
	 */
	public Set<String> lockNames() {
		return this.specs.names();
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.specs.find(method, targetClass) != null;
	}

}
