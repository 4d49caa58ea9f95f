package io.github.lockstarter.key;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;

/**
 * An expression with the parameters of one method, checked once. Most expressions are the
 * name of a parameter, and are evaluated without SpEL.
 */
public final class MethodExpression {

	private static final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();

	private final Supplier<SpelEvaluation> evaluation;

	/** The position of the parameter that is the whole expression, or -1. */
	private final int parameter;

	/** Whether a call may lack a value. */
	private final boolean nullable;

	/** The members of the call that are read. */
	private final Set<String> read;

	private MethodExpression(Supplier<SpelEvaluation> evaluation, int parameter, boolean nullable, Set<String> read) {
		this.evaluation = evaluation;
		this.parameter = parameter;
		this.nullable = nullable;
		this.read = read;
	}

	/**
	 * Parses the expression and checks that it can be evaluated for the method.
	 * @throws LockConfigurationException if it cannot be evaluated
	 */
	public static MethodExpression parse(String text, String attribute, Method method) {
		List<List<String>> variables = variables(method);
		List<String> leases = leases(variables, method);
		String where = "The %s \"%s\" of @ExclusiveRequest on %s".formatted(attribute, text, method.toGenericString());
		Supplier<SpelEvaluation> evaluation = SingletonSupplier
			.of(() -> SpelEvaluation.parse(text, where, variables, leases, scalars(variables, method)));
		int parameter = leases.stream().map("#"::concat).noneMatch(text::equals) ? parameter(text, variables) : -1;
		return (parameter < 0)
				? new MethodExpression(evaluation, parameter, !evaluation.get().isConstant(), evaluation.get().read())
				: new MethodExpression(evaluation, parameter, !method.getParameterTypes()[parameter].isPrimitive(),
						Set.of());
	}

	private static List<List<String>> variables(Method method) {
		@Nullable String @Nullable [] names = names(method);
		List<List<String>> variables = new ArrayList<>();
		for (int i = 0; i < method.getParameterCount(); i++) {
			List<String> ofParameter = new ArrayList<>();
			// A suspending function has one parameter more than names.
			if (names != null && i < names.length && names[i] != null) {
				ofParameter.add(names[i]);
			}
			ofParameter.add("p" + i);
			ofParameter.add("a" + i);
			variables.add(ofParameter);
		}
		return variables;
	}

	/**
	 * Returns the names that the method or one that it overrides has: a class that was
	 * made at run time, as that of a mock, has none.
	 */
	private static @Nullable String @Nullable [] names(Method method) {
		return Stream.concat(Stream.of(method), overridden(method))
			.map(parameterNames::getParameterNames)
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	private static Stream<Method> overridden(Method method) {
		Class<?> type = method.getDeclaringClass();
		return Stream
			.concat(Stream.ofNullable(type.getSuperclass()), ClassUtils.getAllInterfacesForClassAsSet(type).stream())
			.map((each) -> ReflectionUtils.findMethod(each, method.getName(), method.getParameterTypes()))
			.filter(Objects::nonNull);
	}

	/**
	 * Returns the position of the parameter; if several parameters share the name, that
	 * of the last one.
	 */
	private static int parameter(String text, List<List<String>> variables) {
		return (text.equals("#root") || text.equals("#this")) ? -1
				: IntStream.range(0, variables.size())
					.filter((i) -> variables.get(i).stream().map("#"::concat).anyMatch(text::equals))
					.max()
					.orElse(-1);
	}

	private static List<String> leases(List<List<String>> variables, Method method) {
		return IntStream.range(0, method.getParameterCount())
			.filter((i) -> method.getParameterTypes()[i] == Lease.class)
			.mapToObj(variables::get)
			.flatMap(List::stream)
			.toList();
	}

	/**
	 * Returns the variables of primitive types and texts, each with a value of the type.
	 * If several parameters share a name, it is that of the last one.
	 */
	private static Map<String, Object> scalars(List<List<String>> variables, Method method) {
		Map<String, Object> scalars = new HashMap<>();
		for (int i = 0; i < variables.size(); i++) {
			Class<?> type = method.getParameterTypes()[i];
			variables.get(i).forEach(scalars::remove);
			if (type.isPrimitive() || type == String.class) {
				Object value = type.isPrimitive() ? Array.get(Array.newInstance(type, 1), 0) : "";
				variables.get(i).forEach((name) -> scalars.put(name, value));
			}
		}
		return scalars;
	}

	/** Returns the declared type, if it is a parameter; otherwise {@code null}. */
	public @Nullable Class<?> declaredType(Method method) {
		return (this.parameter >= 0) ? method.getParameterTypes()[this.parameter] : null;
	}

	/**
	 * Returns the positions of the parameters that the value depends on; {@code null} if
	 * it may depend on all of them.
	 */
	public @Nullable Set<Integer> parameters() {
		return (this.parameter >= 0) ? Set.of(this.parameter) : this.evaluation.get().parameters();
	}

	/** Returns whether the value depends on the request beyond the arguments. */
	public boolean readsRequest() {
		return this.read.stream().anyMatch(LockInvocation.REQUEST::contains);
	}

	/** Returns whether the value depends on a part of the request that only it has. */
	boolean needsRequest() {
		return this.read.stream()
			.anyMatch((each) -> LockInvocation.REQUEST.contains(each) && !each.equals(LockInvocation.PRINCIPAL));
	}

	/** Returns whether the value depends on the principal. */
	public boolean readsPrincipal() {
		return this.read.contains(LockInvocation.PRINCIPAL);
	}

	/** Returns whether a call may have no value, or a blank one. */
	public boolean mayBeMissing() {
		return this.nullable;
	}

	/**
	 * Returns the names of the headers that are read, each with a flag whether there is
	 * no alternative to it. A name that is known only at the evaluation is excluded.
	 */
	public Map<String, Boolean> headers() {
		return (this.parameter >= 0) ? Map.of() : this.evaluation.get().headers();
	}

	/** Returns the value; {@code null} if the call lacks a part that is read. */
	public @Nullable Object evaluate(LockInvocation call) {
		return (this.parameter >= 0) ? call.getArgs()[this.parameter] : evaluate(call, Object.class);
	}

	/**
	 * Returns the value like {@link #evaluate(LockInvocation)}, converted to the type.
	 */
	public <T> @Nullable T evaluate(LockInvocation call, Class<T> type) {
		return this.evaluation.get().evaluate(call, type);
	}

}
