package io.github.lockstarter.operation;

import java.lang.reflect.Method;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.method.HandlerMethod;

import io.github.lockstarter.completion.ReturnType;

/**
 * An annotated method.
 *
 * @param returnType what it returns
 * @param operations what its annotations say
 * @param ofController whether the class of the bean is a controller
 */
public record LockedMethod(ReturnType returnType, List<LockOperation> operations, boolean ofController) {

	static LockedMethod of(Method method, Class<?> type) {
		return new LockedMethod(ReturnType.of(method, type), List.of(),
				AnnotatedElementUtils.hasAnnotation(type, Controller.class));
	}

	/** Returns the same method with what its annotations say. */
	LockedMethod with(List<LockOperation> operations) {
		return new LockedMethod(this.returnType, operations, this.ofController);
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
	 * Returns whether it is a handler that returns an entity, and not a type of its own.
	 */
	public boolean isHandlerOfEntity() {
		Class<?> declared = this.returnType.declared();
		return this.ofController && (declared == HttpEntity.class || declared == ResponseEntity.class);
	}

	/**
	 * Returns whether a handler writes what it returns, so that no view needs a model.
	 */
	public boolean writesBody() {
		return HttpEntity.class.isAssignableFrom(this.returnType.declared())
				|| AnnotatedElementUtils.hasAnnotation(method(), ResponseBody.class)
				|| AnnotatedElementUtils.hasAnnotation(type(), ResponseBody.class);
	}

	/** Returns whether some call of the method may wait. */
	public boolean waits() {
		return this.operations.stream().anyMatch((operation) -> !operation.options().waitTime().isZero());
	}

	/** Returns whether the locks of some call depend on who calls. */
	public boolean readsPrincipal() {
		return this.operations.stream().anyMatch(LockOperation::readsPrincipal);
	}

	/** Returns whether the locks of some call depend on the request. */
	boolean readsRequest() {
		return this.operations.stream().anyMatch(LockOperation::readsRequest);
	}

	/** Returns whether it is the method that a handler mapping has found. */
	public boolean isHandler(@Nullable Object handler) {
		return handler instanceof HandlerMethod found && ClassUtils.getUserClass(found.getBeanType()) == type()
				&& AopUtils.getMostSpecificMethod(found.getMethod(), type()).equals(method());
	}

}
