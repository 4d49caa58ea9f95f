package io.github.lockstarter.key;

import java.lang.reflect.Method;
import java.security.Principal;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.validation.Errors;

/**
 * One call of an annotated method, and the root object of its expressions.
 */
public final class LockInvocation {

	/** The name of the property for the principal. */
	static final String PRINCIPAL = "principal";

	/** The name of the property for all arguments. */
	static final String ARGS = "args";

	/** The name of the method that reads a header. */
	static final String HEADER = "header";

	/** Properties that expressions may read without a {@code #}. */
	static final Set<String> PROPERTIES = Set.of(ARGS, "method", PRINCIPAL, "path");

	/** Methods that expressions may call without a {@code #}. */
	static final Set<String> METHODS = Set.of(HEADER, "pathVariable", "param");

	/** The members that read the request. */
	static final Set<String> REQUEST = Set.of(PRINCIPAL, "path", HEADER, "pathVariable", "param");

	private final Method method;

	private final @Nullable Object[] args;

	private final CurrentRequest request;

	private final IdempotencyKeyHeader idempotencyKey;

	/**
	 * Creates an invocation.
	 * @param method the annotated method
	 * @param args its arguments
	 * @param request the request that it belongs to
	 * @param idempotencyKey reads the header with that name
	 */
	public LockInvocation(Method method, @Nullable Object[] args, CurrentRequest request,
			IdempotencyKeyHeader idempotencyKey) {
		this.method = method;
		this.args = args;
		this.request = request;
		this.idempotencyKey = idempotencyKey;
	}

	public Method getMethod() {
		return this.method;
	}

	public @Nullable Object[] getArgs() {
		return this.args;
	}

	/**
	 * Returns the principal of the request; if there is none, that of Spring Security.
	 * Callers that have not authenticated have none.
	 */
	public @Nullable Principal getPrincipal() {
		return SecurityPrincipal.unlessAnonymous(this.request.principal());
	}

	public @Nullable String getPath() {
		return this.request.path();
	}

	public @Nullable String pathVariable(String name) {
		return this.request.pathVariable(name);
	}

	public @Nullable String param(String name) {
		return this.request.param(name);
	}

	/**
	 * Returns the first value of a header; for the {@code Idempotency-Key}, its key.
	 * @throws io.github.lockstarter.InvalidIdempotencyKeyException if that header is not
	 * a valid key
	 */
	public @Nullable String header(String name) {
		List<String> lines = this.request.headers(name);
		if (name.equalsIgnoreCase(IdempotencyKeyHeader.NAME)) {
			return this.idempotencyKey.read(lines);
		}
		return lines.isEmpty() ? null : lines.get(0);
	}

	/** Returns all lines of a header, of which one may be a list as well. */
	public List<String> headers(String name) {
		return this.request.headers(name);
	}

	/**
	 * Returns what the client of the request has sent; {@code null} if there is no
	 * request, or its content is not known.
	 */
	public @Nullable RequestContent content() {
		return this.request.content();
	}

	/** Returns whether the call belongs to a request. */
	public boolean isInRequest() {
		return !(this.request instanceof CurrentRequest.NoRequest);
	}

	/** Returns whether an argument has binding errors, as that of a form may. */
	public boolean hasBindingErrors() {
		return Stream.of(this.args).anyMatch((arg) -> arg instanceof Errors errors && errors.hasErrors());
	}

}
