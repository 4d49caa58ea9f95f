package io.github.lockstarter.key;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;

import io.github.lockstarter.LockConfigurationException;

/**
 * Checks that an expression can and may be evaluated, before its first evaluation. SpEL
 * itself evaluates an unknown variable to {@code null}, which would result in one lock
 * for all callers.
 */
final class ExpressionCheck {

	private static final Set<Class<? extends SpelNode>> FORBIDDEN = Set.of(TypeReference.class,
			ConstructorReference.class, Assign.class, OpInc.class, OpDec.class, BeanReference.class,
			FunctionReference.class);

	private static final Set<String> BUILT_IN_VARIABLES = Set.of("root", "this");

	/** Of the user details of Spring Security. */
	private static final Set<String> USER_NAME = Set.of("username", "getUsername()");

	private final String where;

	private final List<String> variables;

	private final List<String> leases;

	private final Map<String, Object> scalars;

	/** The members of the call that are read. */
	private final Set<String> read = new HashSet<>();

	/**
	 * The headers that are read by name, each with a flag whether there is no
	 * alternative.
	 */
	private final Map<String, Boolean> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

	/** The number of enclosing nodes that choose between values. */
	private int choices;

	/**
	 * Creates a check.
	 * @param where the prefix of every error message
	 * @param variables all variables
	 * @param leases those of them that have no value before there is a lock
	 * @param scalars those of them whose type has no subtypes, each with a value of it
	 */
	ExpressionCheck(String where, List<String> variables, List<String> leases, Map<String, Object> scalars) {
		this.where = where;
		this.variables = variables;
		this.leases = leases;
		this.scalars = scalars;
	}

	/**
	 * Checks an expression.
	 * @return the names of the members of {@link LockInvocation} that it reads
	 * @throws LockConfigurationException if it uses a name that does not exist, or a
	 * construct that is not allowed
	 */
	Set<String> check(SpelNode expression) {
		check(expression, Scope.CALL, Scope.CALL);
		if (isBuiltIn(expression)) {
			readWholeCall();
		}
		return Set.copyOf(this.read);
	}

	/**
	 * Returns the names of the headers that the expression reads, each with a flag
	 * whether there is no alternative to it. A name that is known only at the evaluation
	 * is excluded.
	 */
	Map<String, Boolean> headers() {
		return this.headers;
	}

	/**
	 * Checks a node.
	 * @param scope what the node is evaluated against
	 * @param ofParts what its independent parts are evaluated against; in {@code .![…]}
	 * and {@code .?[…]}, that are the elements
	 */
	private void check(SpelNode node, Scope scope, Scope ofParts) {
		if (FORBIDDEN.contains(node.getClass())) {
			throw invalid("contains '%s', which is not allowed".formatted(node.toStringAST()),
					"Read parameters and their properties only: no types, constructors, assignments, beans or functions.");
		}
		if (node instanceof VariableReference variable) {
			checkVariable(variable.toStringAST().substring(1));
		}
		else if (scope == Scope.CALL && node instanceof PropertyOrFieldReference property) {
			checkRootMember(property.getName(), property.getName(), LockInvocation.PROPERTIES);
		}
		else if (scope == Scope.CALL && node instanceof MethodReference method) {
			checkRootMember(method.getName(), method.getName() + "(…)", LockInvocation.METHODS);
			if (method.getName().equals(LockInvocation.HEADER) && method.getChildCount() == 1
					&& method.getChild(0) instanceof StringLiteral header) {
				this.headers.merge(String.valueOf(header.getLiteralValue().getValue()), this.choices == 0,
						Boolean::logicalOr);
			}
		}
		else if (node instanceof CompoundExpression) {
			if (node.getChild(0) instanceof VariableReference variable
					&& node.getChild(1) instanceof PropertyOrFieldReference property) {
				checkProperty(variable.toStringAST().substring(1), property.getName());
			}
			checkPrincipal(node, scope);
		}
		boolean choice = node instanceof Elvis || node instanceof Ternary;
		this.choices += choice ? 1 : 0;
		Scope ofChildParts = (node instanceof Projection || node instanceof Selection) ? Scope.OTHER : ofParts;
		for (int i = 0; i < node.getChildCount(); i++) {
			SpelNode child = node.getChild(i);
			if (readsWholeCall(node, i, ofChildParts)) {
				readWholeCall();
			}
			Scope ofChild = (node instanceof CompoundExpression) ? scope(node, i, scope)
					: isLiteralName(node, i) ? Scope.OTHER : ofChildParts;
			check(child, ofChild, ofChildParts);
		}
		this.choices -= choice ? 1 : 0;
	}

	/** In {@code #map[name]} and <code>{name: #value}</code> a bare name is a literal. */
	private static boolean isLiteralName(SpelNode parent, int child) {
		return (parent instanceof Indexer || (parent instanceof InlineMap && child % 2 == 0))
				&& parent.getChild(child) instanceof PropertyOrFieldReference;
	}

	/**
	 * Returns what the child of a compound is evaluated against: after {@code #root} that
	 * is the call, in any scope.
	 */
	private static Scope scope(SpelNode compound, int child, Scope scope) {
		if (child == 0) {
			return scope;
		}
		SpelNode first = compound.getChild(0);
		return (child == 1 && ((scope == Scope.CALL && isBuiltIn(first)) || first.toStringAST().equals("#root")))
				? Scope.CALL : Scope.OTHER;
	}

	/**
	 * Returns whether the child of a node stands for the call, and the node does not name
	 * the member that it reads. It passes the call on as a value, or the member is known
	 * only at the evaluation, as in {@code #root[#name]}.
	 */
	private static boolean readsWholeCall(SpelNode node, int child, Scope scope) {
		boolean call = isBuiltIn(node.getChild(child))
				&& (scope == Scope.CALL || node.getChild(child).toStringAST().equals("#root"));
		return call && !(node instanceof CompoundExpression && (node.getChild(1) instanceof PropertyOrFieldReference
				|| node.getChild(1) instanceof MethodReference));
	}

	private void readWholeCall() {
		this.read.addAll(LockInvocation.PROPERTIES);
		this.read.addAll(LockInvocation.METHODS);
	}

	/** Returns whether the node is a variable that SpEL itself sets. */
	static boolean isBuiltIn(SpelNode node) {
		return node instanceof VariableReference && BUILT_IN_VARIABLES.contains(node.toStringAST().substring(1));
	}

	private void checkVariable(String name) {
		if (this.leases.contains(name)) {
			throw invalid("uses #%s, a Lease, which has no value before the lock is acquired".formatted(name),
					"Read other parameters.");
		}
		if (this.variables.contains(name) || BUILT_IN_VARIABLES.contains(name)) {
			return;
		}
		throw invalid("uses #%s, but there is no such parameter".formatted(name), suggestion(name));
	}

	private void checkProperty(String variable, String property) {
		Object value = BUILT_IN_VARIABLES.contains(variable) ? null : this.scalars.get(variable);
		if (value != null && !SpelEvaluation.canRead(value, property)) {
			throw invalid(
					"reads '%s' of #%s, but a %s has no such property".formatted(property, variable,
							value.getClass().getSimpleName()),
					"Write #%s. In Kotlin, a parameter of a value class is what the class wraps.".formatted(variable));
		}
	}

	/**
	 * Checks that no user name is read from a principal of Spring Security, which is an
	 * {@code Authentication}: only the user details in it have such a property.
	 */
	private void checkPrincipal(SpelNode compound, Scope scope) {
		for (int i = 0; i + 1 < compound.getChildCount(); i++) {
			String read = compound.getChild(i + 1).toStringAST();
			if (scope(compound, i, scope) == Scope.CALL
					&& compound.getChild(i).toStringAST().equals(LockInvocation.PRINCIPAL) && USER_NAME.contains(read)
					&& SecurityPrincipal.isPresent()) {
				throw invalid(
						"reads '%s' of the principal, but the Authentication of Spring Security has no such property"
							.formatted(read),
						SecurityPrincipal.ADVICE);
			}
		}
	}

	private void checkRootMember(String name, String written, Set<String> members) {
		if (members.contains(name)) {
			this.read.add(name);
			return;
		}
		if (this.variables.contains(name)) {
			throw invalid("uses '%s', which is a parameter".formatted(written), "Write #%s.".formatted(name));
		}
		throw invalid("uses '%s', which does not exist".formatted(written),
				suggestion(name) + " The expression can also use args, method, principal, path,"
						+ " pathVariable('…'), param('…') and header('…'). A literal text needs single quotes.");
	}

	private String suggestion(String name) {
		if (this.variables.isEmpty()) {
			return "The method has no parameters.";
		}
		List<String> named = this.variables.stream().filter((each) -> !each.matches("[pa]\\d+")).toList();
		if (named.isEmpty()) {
			return "Compile with -parameters to use parameter names, or use %s.".formatted(references(this.variables));
		}
		return "Did you mean #%s? The parameters are %s.".formatted(NearestName.to(name, named), references(named));
	}

	private static String references(List<String> names) {
		return names.stream().map((each) -> "#" + each).collect(Collectors.joining(", "));
	}

	private LockConfigurationException invalid(String problem, String action) {
		return new LockConfigurationException(this.where + " " + problem + ".", action);
	}

	/** What a part of an expression is evaluated against. */
	private enum Scope {

		/** The root object. */
		CALL,

		/** Another value, such as an element. */
		OTHER

	}

}
