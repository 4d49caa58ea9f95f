package io.github.lockstarter.operation;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.method.HandlerMethod;

import io.github.lockstarter.Lease;
import io.github.lockstarter.completion.ReturnType;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.key.IdempotencyKeyHeader;
import io.github.lockstarter.key.LockInvocation;

/**
 * An annotated method, with the shared data of its calls.
 */
public final class LockedMethod {

	private static final List<Class<? extends Annotation>> MAPPINGS = List.of(RequestMapping.class, HttpExchange.class);

	private final ReturnType returnType;

	private final boolean ofController;

	private final List<LockOperation> operations;

	private final boolean writesBody;

	private final boolean waits;

	private final boolean readsContent;

	private final boolean readsPrincipal;

	private final IdempotencyKeyHeader idempotencyKey;

	/** The positions of the parameters that receive the lease. */
	private final int[] leaseParameters;

	/** The positions of the parameters that its locks depend on, if they are known. */
	private final @Nullable Set<Integer> keyParameters;

	private LockedMethod(ReturnType returnType, boolean ofController, List<LockOperation> operations,
			IdempotencyKeyHeader idempotencyKey) {
		this.returnType = returnType;
		this.ofController = ofController;
		this.operations = operations;
		this.idempotencyKey = idempotencyKey;
		Method method = returnType.method();
		this.writesBody = HttpEntity.class.isAssignableFrom(returnType.declared())
				|| AnnotatedElementUtils.hasAnnotation(method, ResponseBody.class)
				|| AnnotatedElementUtils.hasAnnotation(returnType.owner(), ResponseBody.class);
		this.waits = operations.stream().anyMatch((operation) -> !operation.options().waitTime().isZero());
		this.readsContent = operations.stream().anyMatch(LockOperation::readsContent);
		this.readsPrincipal = operations.stream().anyMatch(LockOperation::readsPrincipal);
		Class<?>[] parameters = method.getParameterTypes();
		this.leaseParameters = IntStream.range(0, parameters.length)
			.filter((i) -> parameters[i] == Lease.class)
			.toArray();
		this.keyParameters = keyParameters(operations);
	}

	private static @Nullable Set<Integer> keyParameters(List<LockOperation> operations) {
		Set<Integer> all = new TreeSet<>();
		for (LockOperation operation : operations) {
			Set<Integer> ofOperation = operation.parameters();
			if (ofOperation == null) {
				return null;
			}
			all.addAll(ofOperation);
		}
		return all;
	}

	static LockedMethod of(Method method, Class<?> type) {
		return new LockedMethod(ReturnType.of(method, type),
				AnnotatedElementUtils.hasAnnotation(type, Controller.class), List.of(),
				new IdempotencyKeyHeader("", 0));
	}

	/**
	 * Returns the method with the operations of its annotations.
	 * @param longestKey the largest number of characters of an {@code Idempotency-Key}
	 */
	LockedMethod with(List<LockOperation> operations, int longestKey) {
		return new LockedMethod(this.returnType, this.ofController, operations,
				new IdempotencyKeyHeader(operations.get(0).name(), longestKey));
	}

	/** Returns a call of the method. */
	public LockInvocation invocation(@Nullable Object[] args, CurrentRequest request) {
		return new LockInvocation(method(), args, request, this.idempotencyKey);
	}

	/** Returns the reader for the {@code Idempotency-Key} header of a call. */
	public IdempotencyKeyHeader idempotencyKey() {
		return this.idempotencyKey;
	}

	/** Returns the return type of the method. */
	public ReturnType returnType() {
		return this.returnType;
	}

	/** Returns the operations of the method, one for each annotation. */
	public List<LockOperation> operations() {
		return this.operations;
	}

	/** Returns whether results are replayed to later calls. */
	public boolean replays() {
		return operations().stream().anyMatch((operation) -> operation.replay() != null);
	}

	/** Returns whether the class of the bean is a controller. */
	public boolean ofController() {
		return this.ofController;
	}

	/** Returns whether it is mapped to requests, to which it responds. */
	public boolean isMapped() {
		return this.ofController
				&& MAPPINGS.stream().anyMatch((mapping) -> AnnotatedElementUtils.hasAnnotation(method(), mapping));
	}

	/** Returns the method, as it is on the class of the bean. */
	public Method method() {
		return this.returnType.method();
	}

	/** Returns the class of the bean. */
	public Class<?> type() {
		return this.returnType.owner();
	}

	/**
	 * Returns whether it is a handler that returns an entity, and not a subclass of one.
	 */
	public boolean isHandlerOfEntity() {
		Class<?> declared = this.returnType.declared();
		return this.ofController && (declared == HttpEntity.class || declared == ResponseEntity.class);
	}

	/** Returns whether it is a handler of one entity, possibly emitted later. */
	public boolean emitsEntity() {
		return isHandlerOfEntity() || (this.returnType.isReactive()
				&& HttpEntity.class.isAssignableFrom(this.returnType.resolvable().getGeneric().toClass()));
	}

	/**
	 * Returns whether the result is written as the body, so that no view needs a model.
	 */
	public boolean writesBody() {
		return this.writesBody;
	}

	/**
	 * Returns the positions of the parameters that the locks of a call depend on;
	 * {@code null} if they, or what is shared, may depend on all of them.
	 */
	public @Nullable Set<Integer> keyParameters() {
		return this.keyParameters;
	}

	/** Returns whether any call of the method may wait. */
	public boolean waits() {
		return this.waits;
	}

	/** Returns whether the result of any call is only for the content of its request. */
	public boolean readsContent() {
		return this.readsContent;
	}

	/** Returns whether the locks of any call depend on the principal. */
	public boolean readsPrincipal() {
		return this.readsPrincipal;
	}

	/** Sets the parameters for the lease, except for those that the caller has passed. */
	public void fillIn(@Nullable Lease lease, @Nullable Object[] args) {
		for (int position : this.leaseParameters) {
			if (args[position] == null) {
				args[position] = lease;
			}
		}
	}

	/** Returns whether the locks of any call depend on the request. */
	boolean readsRequest() {
		return this.operations.stream().anyMatch(LockOperation::readsRequest);
	}

	/** The type of a proxy is one of its interfaces. */
	private boolean isOfType(Class<?> beanType) {
		return beanType == type() || (type().isInterface() && type().isAssignableFrom(beanType));
	}

	/** Returns whether it is the method that a handler mapping has found. */
	public boolean isHandler(@Nullable Object handler) {
		return handler instanceof HandlerMethod found && isOfType(ClassUtils.getUserClass(found.getBeanType()))
				&& (found.getMethod().equals(method())
						|| AopUtils.getMostSpecificMethod(found.getMethod(), type()).equals(method()));
	}

}
