package io.github.lockstarter.key;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.ParseException;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.DataBindingPropertyAccessor;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;

/**
 * A SpEL expression over the parameters of one method, parsed and checked once. Request
 * data reaches it only as variables; it cannot assign, nor name types or beans.
 */
public final class MethodExpression {

	private static final SpelExpressionParser parser = new SpelExpressionParser();

	private static final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();

	/** What a request can cause by leaving something out, or by sending too much. */
	private static final Set<SpelMessage> NO_VALUE = EnumSet.of(SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
			SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED, SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE,
			SpelMessage.COLLECTION_INDEX_OUT_OF_BOUNDS, SpelMessage.ARRAY_INDEX_OUT_OF_BOUNDS,
			SpelMessage.STRING_INDEX_OUT_OF_BOUNDS, SpelMessage.MAX_CONCATENATED_STRING_LENGTH_EXCEEDED);

	private final SpelExpression expression;

	/** The names of each parameter, by position. */
	private final List<List<String>> variables;

	/** Which of them is the whole expression, or -1. */
	private final int parameter;

	/** What is read of the call. */
	private final Set<String> read;

	private MethodExpression(SpelExpression expression, List<List<String>> variables, Set<String> read) {
		this.expression = expression;
		this.variables = variables;
		this.parameter = parameter(expression.getAST(), variables);
		this.read = read;
	}

	/**
	 * Parses the expression and checks that it can be evaluated for the method.
	 * @throws LockConfigurationException if not
	 */
	public static MethodExpression parse(String text, String attribute, Method method) {
		List<List<String>> variables = variables(method);
		String where = "The %s \"%s\" of @ExclusiveRequest on %s".formatted(attribute, text, method.toGenericString());
		try {
			SpelExpression expression = parser.parseRaw(text);
			Set<String> read = new ExpressionCheck(where, variables.stream().flatMap(List::stream).toList(),
					leases(variables, method))
				.check(expression.getAST());
			return new MethodExpression(expression, variables, read);
		}
		catch (ParseException | IllegalStateException | IllegalArgumentException ex) {
			throw new LockConfigurationException("%s is not a SpEL expression: %s".formatted(where, ex.getMessage()),
					"Correct the expression.");
		}
	}

	private static List<List<String>> variables(Method method) {
		@Nullable String @Nullable [] names = parameterNames.getParameterNames(method);
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

	private static int parameter(SpelNode expression, List<List<String>> variables) {
		if (!(expression instanceof VariableReference) || ExpressionCheck.isBuiltIn(expression)) {
			return -1;
		}
		String name = expression.toStringAST().substring(1);
		// Of parameters that share a name, the last one has it.
		return IntStream.range(0, variables.size()).filter((i) -> variables.get(i).contains(name)).max().orElse(-1);
	}

	private static List<String> leases(List<List<String>> variables, Method method) {
		return IntStream.range(0, method.getParameterCount())
			.filter((i) -> method.getParameterTypes()[i] == Lease.class)
			.mapToObj(variables::get)
			.flatMap(List::stream)
			.toList();
	}

	/** Returns whether the value depends on more than the arguments. */
	public boolean readsRequest() {
		return this.read.stream().anyMatch(LockInvocation.REQUEST::contains);
	}

	/** Returns whether the value depends on who calls. */
	public boolean readsPrincipal() {
		return this.read.contains(LockInvocation.PRINCIPAL);
	}

	/** Returns the value, which is null where the call lacks what is read. */
	public @Nullable Object evaluate(LockInvocation call) {
		// Most keys are a parameter, which takes no evaluation.
		return (this.parameter >= 0) ? call.getArgs()[this.parameter] : evaluate(call, Object.class);
	}

	/**
	 * Returns the value like {@link #evaluate(LockInvocation)}, converted to the type.
	 */
	public <T> @Nullable T evaluate(LockInvocation call, Class<T> type) {
		EvaluationContext context = SimpleEvaluationContext
			.forPropertyAccessors(DataBindingPropertyAccessor.forReadOnlyAccess(), new LenientMapAccessor())
			.withInstanceMethods()
			.withRootObject(call)
			.build();
		for (int i = 0; i < this.variables.size(); i++) {
			for (String name : this.variables.get(i)) {
				context.setVariable(name, call.getArgs()[i]);
			}
		}
		try {
			return this.expression.getValue(context, type);
		}
		catch (SpelEvaluationException ex) {
			if (NO_VALUE.contains(ex.getMessageCode())) {
				return null;
			}
			throw ex;
		}
	}

	/** Reads {@code #map.name}, also where the map has no such name. */
	private static final class LenientMapAccessor implements PropertyAccessor {

		@Override
		public Class<?>[] getSpecificTargetClasses() {
			return new Class<?>[] { Map.class };
		}

		@Override
		public boolean canRead(EvaluationContext context, @Nullable Object target, String name) {
			return target instanceof Map;
		}

		@Override
		public TypedValue read(EvaluationContext context, @Nullable Object target, String name) {
			return new TypedValue((target instanceof Map<?, ?> map) ? map.get(name) : null);
		}

		@Override
		public boolean canWrite(EvaluationContext context, @Nullable Object target, String name) {
			return false;
		}

		@Override
		public void write(EvaluationContext context, @Nullable Object target, String name, @Nullable Object value) {
			throw new UnsupportedOperationException();
		}

	}

}
