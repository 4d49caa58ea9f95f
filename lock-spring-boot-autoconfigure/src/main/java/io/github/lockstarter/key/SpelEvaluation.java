package io.github.lockstarter.key;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.AccessException;
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

import io.github.lockstarter.LockConfigurationException;

/**
 * A parsed and checked SpEL expression. It receives request data only as variables. It
 * cannot assign values, or refer to types or beans.
 */
final class SpelEvaluation {

	private static final SpelExpressionParser parser = new SpelExpressionParser();

	/**
	 * Errors that a request can cause, with missing values or values that are too large.
	 */
	private static final Set<SpelMessage> NO_VALUE = EnumSet.of(SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
			SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED, SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE,
			SpelMessage.COLLECTION_INDEX_OUT_OF_BOUNDS, SpelMessage.ARRAY_INDEX_OUT_OF_BOUNDS,
			SpelMessage.STRING_INDEX_OUT_OF_BOUNDS, SpelMessage.MAX_CONCATENATED_STRING_LENGTH_EXCEEDED);

	/** Errors of an expression that is written for other types. They quote no values. */
	private static final Set<SpelMessage> NO_MEMBER = EnumSet.of(SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE,
			SpelMessage.METHOD_NOT_FOUND);

	private final SpelExpression expression;

	/** The location of the expression, for messages. */
	private final String where;

	/** The positions of the parameters that the expression reads, by name. */
	private final Map<String, Integer> variables = new HashMap<>();

	/** The members of the call that are read. */
	private final Set<String> read;

	private final Map<String, Boolean> headers;

	/** Kept between evaluations, because they cache the properties of a type. */
	private final PropertyAccessor[] accessors = { DataBindingPropertyAccessor.forReadOnlyAccess(),
			new LenientMapAccessor() };

	private SpelEvaluation(SpelExpression expression, String where, List<List<String>> variables, Set<String> read,
			Map<String, Boolean> headers) {
		this.expression = expression;
		this.where = where;
		this.read = read;
		this.headers = headers;
		Set<String> names = new HashSet<>();
		addVariables(expression.getAST(), names);
		for (int i = 0; i < variables.size(); i++) {
			for (String name : variables.get(i)) {
				if (names.contains(name)) {
					this.variables.put(name, i);
				}
			}
		}
	}

	private static void addVariables(SpelNode node, Set<String> names) {
		if (node instanceof VariableReference variable) {
			names.add(variable.toStringAST().substring(1));
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			addVariables(node.getChild(i), names);
		}
	}

	/**
	 * Parses the expression and checks it.
	 * @param where the prefix of every error message
	 * @param variables the names of each parameter, by position
	 * @param leases those of them that have no value before there is a lock
	 * @param scalars those of them whose type has no subtypes, each with a value of it
	 * @throws LockConfigurationException if it cannot be evaluated
	 */
	static SpelEvaluation parse(String text, String where, List<List<String>> variables, List<String> leases,
			Map<String, Object> scalars) {
		try {
			SpelExpression expression = parser.parseRaw(text);
			ExpressionCheck check = new ExpressionCheck(where, variables.stream().flatMap(List::stream).toList(),
					leases, scalars);
			Set<String> read = check.check(expression.getAST());
			return new SpelEvaluation(expression, where, variables, read, check.headers());
		}
		catch (ParseException | IllegalStateException | IllegalArgumentException ex) {
			throw new LockConfigurationException(
					"%s is not a valid SpEL expression: %s".formatted(where, ex.getMessage()),
					"Correct the expression.");
		}
	}

	/** Returns whether an expression can read a property of a value. */
	static boolean canRead(Object value, String property) {
		try {
			return DataBindingPropertyAccessor.forReadOnlyAccess()
				.canRead(SimpleEvaluationContext.forReadOnlyDataBinding().build(), value, property);
		}
		catch (AccessException ex) {
			return false;
		}
	}

	/**
	 * Returns the positions of the parameters that it reads; {@code null} if it may read
	 * all.
	 */
	@Nullable Set<Integer> parameters() {
		return this.read.contains(LockInvocation.ARGS) ? null : Set.copyOf(this.variables.values());
	}

	/** Returns the names of the members of {@link LockInvocation} that it reads. */
	Set<String> read() {
		return this.read;
	}

	/**
	 * Returns the headers that it reads, each with a flag whether there is no
	 * alternative.
	 */
	Map<String, Boolean> headers() {
		return this.headers;
	}

	/** Returns whether its value is the same for all calls. */
	boolean isConstant() {
		return this.variables.isEmpty() && this.read.isEmpty();
	}

	/** Returns the value; {@code null} if the call lacks a part that is read. */
	<T> @Nullable T evaluate(LockInvocation call, Class<T> type) {
		EvaluationContext context = SimpleEvaluationContext.forPropertyAccessors(this.accessors)
			.withInstanceMethods()
			.withRootObject(call)
			.build();
		this.variables.forEach((name, position) -> context.setVariable(name, call.getArgs()[position]));
		try {
			return this.expression.getValue(context, type);
		}
		catch (SpelEvaluationException ex) {
			if (NO_VALUE.contains(ex.getMessageCode())) {
				return null;
			}
			if (NO_MEMBER.contains(ex.getMessageCode())) {
				String advice = this.read.contains(LockInvocation.PRINCIPAL) ? SecurityPrincipal.ADVICE
						: "Correct the expression.";
				throw new LockConfigurationException(
						"%s cannot be evaluated: %s %s".formatted(this.where, ex.getMessage(), advice), advice);
			}
			throw ex;
		}
	}

	/** Reads {@code #map.name}, even if the map has no such name. */
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
