package io.github.lockstarter.key;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;
import org.springframework.util.ObjectUtils;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.TooManyLockKeysException;

/**
 * Determines the locks of a call: one for the whole method, one for the value of an
 * expression or of a resolver, or one for each element of a value.
 */
public final class LockKeys {

	private static final int LARGEST_LIMIT = 10_000;

	private final String lockName;

	private final @Nullable MethodExpression expression;

	private final @Nullable Supplier<LockKeyResolver> resolver;

	/** The largest number of different elements of a value; 0 if the value is one key. */
	private final int limit;

	private LockKeys(String lockName, @Nullable MethodExpression expression,
			@Nullable Supplier<LockKeyResolver> resolver, int limit) {
		this.lockName = lockName;
		this.expression = expression;
		this.resolver = resolver;
		this.limit = limit;
	}

	/** Returns one lock for the whole method. */
	public static LockKeys ofMethod(String lockName) {
		return new LockKeys(lockName, null, null, 0);
	}

	/** Returns one lock for each value of the expression. */
	public static LockKeys of(String lockName, MethodExpression expression) {
		return new LockKeys(lockName, expression, null, 0);
	}

	/**
	 * Returns one lock for each element of the value of the expression.
	 * @param limit the largest number of different elements
	 */
	public static LockKeys ofEach(String lockName, MethodExpression expression, int limit) {
		return new LockKeys(lockName, expression, null, limit);
	}

	/** Returns one lock for each value of the resolver, which is obtained at a call. */
	public static LockKeys of(String lockName, Supplier<LockKeyResolver> resolver) {
		return new LockKeys(lockName, null, resolver, 0);
	}

	/**
	 * Checks the largest number of locks of a call.
	 * @throws IllegalArgumentException if it is less than 1, or more than 10,000
	 */
	public static void checkLimit(int limit) {
		Assert.isTrue(limit >= 1 && limit <= LARGEST_LIMIT, "A call may need 1 to 10000 locks");
	}

	/** Returns the names of the headers that an expression reads. */
	public Map<String, Boolean> headers() {
		return (this.expression != null) ? this.expression.headers() : Map.of();
	}

	/** Returns whether there is one lock for the whole method. */
	public boolean isOfMethod() {
		return this.expression == null && this.resolver == null;
	}

	/** Returns whether a call may need several locks. */
	public boolean isOfEach() {
		return this.limit > 0;
	}

	/** Returns whether a call may have no value, or a blank one. */
	public boolean mayBeMissing() {
		return this.resolver != null || (this.expression != null && this.expression.mayBeMissing());
	}

	/**
	 * Returns the positions of the parameters that the locks depend on; {@code null} if
	 * they may depend on all of them.
	 */
	public @Nullable Set<Integer> parameters() {
		return (this.resolver != null) ? null : (this.expression != null) ? this.expression.parameters() : Set.of();
	}

	/** Returns whether the value depends on the request beyond the arguments. */
	public boolean readsRequest() {
		return this.resolver != null || (this.expression != null && this.expression.readsRequest());
	}

	/** Returns whether the value depends on the principal. */
	public boolean readsPrincipal() {
		return this.resolver != null || (this.expression != null && this.expression.readsPrincipal());
	}

	/**
	 * Returns the locks that a call needs. If it has no value, but binding errors of a
	 * form, the lock without a key is used.
	 * @throws MissingLockKeyException if it has no value and no binding errors, or an
	 * element is missing
	 * @throws TooManyLockKeysException if the value has too many elements
	 */
	public List<LockKey> find(LockInvocation call) {
		if (isOfMethod()) {
			return List.of(new LockKey(this.lockName, ""));
		}
		Object value = value(call);
		// A key that reads a header, the path or the principal is not a field of a form.
		if (!readsRequest() && KeyText.isMissing(value) && call.hasBindingErrors()) {
			return List.of(new LockKey(this.lockName, ""));
		}
		if (this.expression != null && !call.isInRequest() && KeyText.isMissing(value)) {
			checkCaller(this.expression, call);
		}
		if (!isOfEach()) {
			return List.of(KeyText.lockKey(this.lockName, value));
		}
		Set<LockKey> keys = new LinkedHashSet<>();
		for (Object each : elements(value)) {
			keys.add(KeyText.lockKey(this.lockName, each));
			if (keys.size() > this.limit) {
				throw new TooManyLockKeysException(this.lockName, this.limit);
			}
		}
		return List.copyOf(keys);
	}

	/** Says what a call outside of a request lacks, unless it is an argument. */
	private void checkCaller(MethodExpression expression, LockInvocation call) {
		if (expression.needsRequest()) {
			throw MissingLockKeyException.outsideOfRequest(this.lockName);
		}
		if (expression.readsPrincipal() && call.getPrincipal() == null) {
			throw MissingLockKeyException.withoutUser(this.lockName);
		}
	}

	private @Nullable Object value(LockInvocation call) {
		return (this.resolver != null) ? this.resolver.get().resolve(call)
				: (this.expression != null) ? this.expression.evaluate(call) : null;
	}

	private Iterable<?> elements(@Nullable Object given) {
		Object value = ValueClasses.unwrap(given);
		if (value instanceof Optional<?> optional) {
			return elements(optional.orElse(null));
		}
		if (value == null) {
			throw new MissingLockKeyException(this.lockName);
		}
		if (value.getClass().isArray()) {
			return Arrays.asList(ObjectUtils.toObjectArray(value));
		}
		Assert.state(value instanceof Iterable, () -> "The keys of lock '%s' are a %s, and not a collection or an array"
			.formatted(this.lockName, value.getClass().getName()));
		return (Iterable<?>) value;
	}

	/**
	 * Checks that the declared type of a value may have elements.
	 * @throws IllegalArgumentException if it may not
	 */
	public static void checkElements(@Nullable Class<?> type) {
		Assert.isTrue(
				type == null || type == Object.class || type == Optional.class || type.isArray()
						|| Iterable.class.isAssignableFrom(type),
				() -> "keys is a %s, and not a collection or an array: use key instead".formatted(type));
	}

}
