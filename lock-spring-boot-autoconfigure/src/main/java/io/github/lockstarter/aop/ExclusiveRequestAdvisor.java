package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.share.SharedResults;

/**
 * Puts the methods annotated with {@link ExclusiveRequest} under their locks. It stands
 * just outside transactions and caches by default, so that a lock is held until the
 * transaction has ended, and inside security, so that nobody locks what they may not
 * call.
 */
public final class ExclusiveRequestAdvisor extends StaticMethodMatcherPointcutAdvisor {

	/** Just outside of transactions and caches, which come last by default. */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

	private final transient ExclusiveRequestSpecs specs;

	private final transient IntSupplier order;

	private final transient BooleanSupplier untilResponse;

	/**
	 * Creates the advisor. An advisor is created before most other beans, so it asks for
	 * nothing before it meets an annotation.
	 * @param registry where to get locks from
	 * @param operator what the operator says, by name of the lock
	 * @param defaults what holds where neither that nor an annotation says otherwise
	 * @param sharing how results are shared
	 * @param placeholders resolves placeholders in attributes of the annotation
	 * @param order where to stand among other advisors
	 * @param untilResponse whether handlers of requests keep their locks until their
	 * response has been written
	 * @param exchanges whether handlers are those of Spring WebFlux
	 */
	public ExclusiveRequestAdvisor(Supplier<LockRegistry> registry, Function<String, LockSettings> operator,
			Supplier<LockSettings> defaults, Supplier<SharedResults> sharing, UnaryOperator<String> placeholders,
			IntSupplier order, BooleanSupplier untilResponse, BooleanSupplier exchanges) {
		this(new ExclusiveRequestSpecs(operator, defaults, sharing, placeholders), registry, order, untilResponse,
				exchanges);
	}

	private ExclusiveRequestAdvisor(ExclusiveRequestSpecs specs, Supplier<LockRegistry> registry, IntSupplier order,
			BooleanSupplier untilResponse, BooleanSupplier exchanges) {
		super(new ExclusiveRequestInterceptor(specs, registry, untilResponse, exchanges));
		this.specs = specs;
		this.order = order;
		this.untilResponse = untilResponse;
		setClassFilter((type) -> !specs.of(type).isEmpty());
	}

	@Override
	public int getOrder() {
		return this.order.getAsInt();
	}

	/**
	 * Returns the names of the locks of all annotated methods found so far, which are
	 * those of all beans that have been created.
	 */
	public Set<String> lockNames() {
		return this.specs.names();
	}

	/**
	 * Returns whether any method found so far returns a reactive type, or suspends.
	 */
	public boolean guardsReactiveWork() {
		return this.specs.hasReactive();
	}

	/**
	 * Checks that what methods found so far share can be read by others. To be called
	 * when there are beans.
	 * @return whether any of them shares anything
	 * @throws LockConfigurationException if it cannot
	 */
	public boolean checkSharing() {
		List<Sharing> all = this.specs.sharing();
		all.forEach((sharing) -> sharing.results().check());
		return !all.isEmpty();
	}

	/** Returns the annotated methods of a class. */
	Set<Method> methods(Class<?> type) {
		return this.specs.of(type).keySet();
	}

	/**
	 * Refuses a handler of Spring WebFlux whose lock depends on the request, while
	 * neither its thread nor its result knows of the request.
	 * @param handler the method
	 * @param type the class of the controller
	 * @throws LockConfigurationException if it is one
	 */
	public void checkExchangeHandler(Method handler, Class<?> type) {
		LockedMethod method = this.specs.find(handler, type);
		if (method == null || method.isSuspending() || method.isHandlerOfEntity()
				|| (method.isReactive() && ReactiveWork.passesContext(method.returned()))) {
			return;
		}
		if (StageWork.hasReactiveBody(method)) {
			throw new LockConfigurationException(
					"@ExclusiveRequest on %s: in Spring WebFlux the lock would end before the body of the entity."
						.formatted(handler.toGenericString()),
					"Return a Mono or a ResponseEntity.");
		}
		boolean readsRequest = method.specs().stream().anyMatch(ExclusiveRequestSpec::readsRequest);
		if (readsRequest || this.untilResponse.getAsBoolean()) {
			throw new LockConfigurationException(
					"@ExclusiveRequest on %s: in Spring WebFlux nothing tells the request that a call with this return type belongs to, but %s."
						.formatted(handler.toGenericString(),
								readsRequest ? "an expression, or what is shared, depends on it"
										: "lock.web.release-on is response"),
					"Return a Mono or a ResponseEntity.");
		}
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.specs.find(method, targetClass) != null;
	}

}
