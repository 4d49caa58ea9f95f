package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.method.HandlerMethod;

/**
 * An annotated method.
 *
 * @param method the method, as it is on the class of the bean
 * @param type the class of the bean
 * @param specs what its annotations say
 * @param returned its return type, as it is for that class
 * @param result the same, or the type of the body where that is an entity
 * @param work what it returns, if that stands for work that goes on after the method
 * @param ofController whether the class is a controller
 */
record LockedMethod(Method method, Class<?> type, List<ExclusiveRequestSpec> specs, Class<?> returned, Class<?> result,
		@Nullable Work work, boolean ofController) {

	static LockedMethod of(Method method, Class<?> type, List<ExclusiveRequestSpec> specs) {
		ResolvableType returned = ResolvableType.forMethodReturnType(method, type);
		Class<?> result = HttpEntity.class.isAssignableFrom(returned.toClass())
				? returned.as(HttpEntity.class).getGeneric().toClass() : returned.toClass();
		return new LockedMethod(method, type, specs, returned.toClass(), result, Works.of(result),
				AnnotatedElementUtils.hasAnnotation(type, Controller.class));
	}

	/** Returns the same method with what its annotations say. */
	LockedMethod with(List<ExclusiveRequestSpec> specs) {
		return new LockedMethod(this.method, this.type, specs, this.returned, this.result, this.work,
				this.ofController);
	}

	/** Returns whether it returns an entity with a body. */
	boolean isEntity() {
		return this.returned != this.result;
	}

	boolean isSuspending() {
		return KotlinDetector.isSuspendingFunction(this.method);
	}

	boolean isReactive() {
		return hasReactiveResult() && !isEntity();
	}

	/** Returns whether it returns a reactive type, or an entity with one. */
	boolean hasReactiveResult() {
		return Present.REACTOR && this.work instanceof ReactiveWork;
	}

	boolean isHandlerOfEntity() {
		return this.ofController && (this.returned == HttpEntity.class || this.returned == ResponseEntity.class);
	}

	/**
	 * Returns whether a handler writes what it returns, so that no view needs a model.
	 */
	boolean writesBody() {
		return HttpEntity.class.isAssignableFrom(this.returned)
				|| AnnotatedElementUtils.hasAnnotation(this.method, ResponseBody.class)
				|| AnnotatedElementUtils.hasAnnotation(this.type, ResponseBody.class);
	}

	/** Returns whether some call of the method may wait. */
	boolean waits() {
		return this.specs.stream().anyMatch((spec) -> !spec.options().waitTime().isZero());
	}

	/** Returns whether the locks of some call depend on who calls. */
	boolean readsPrincipal() {
		return this.specs.stream().anyMatch(ExclusiveRequestSpec::readsPrincipal);
	}

	/** Returns whether it is the method that a handler mapping has found. */
	boolean isHandler(@Nullable Object handler) {
		return handler instanceof HandlerMethod found && ClassUtils.getUserClass(found.getBeanType()) == this.type
				&& AopUtils.getMostSpecificMethod(found.getMethod(), this.type).equals(this.method);
	}

}
