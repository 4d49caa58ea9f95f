package io.github.lockstarter.completion;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpEntity;
import org.springframework.util.Assert;

/**
 * The type of what a call returns: the return type of an annotated method, or that of
 * work in code.
 *
 * @param source the method, as declared by the class of the bean; {@code null} for work
 * in code
 * @param owner the class of the bean
 * @param declared the return type, as resolved for that class
 * @param value the same type, or the type of the body if it is an entity
 * @param adapter the adapter for such values; {@code null} for plain ones
 */
public record ReturnType(@Nullable Method source, Class<?> owner, Class<?> declared, Class<?> value,
		@Nullable CompletionAdapter adapter) {

	/**
	 * Returns the return type of a method.
	 * @param method the method, as it is on the class of the bean
	 * @param owner the class of the bean
	 * @return the return type
	 */
	public static ReturnType of(Method method, Class<?> owner) {
		ResolvableType type = ResolvableType.forMethodReturnType(method, owner);
		Class<?> declared = type.toClass();
		Class<?> value = HttpEntity.class.isAssignableFrom(declared) ? type.as(HttpEntity.class).getGeneric().toClass()
				: declared;
		return new ReturnType(method, owner, declared, value, CompletionAdapterRegistry.find(value));
	}

	/** Returns the type of what work in code returns. */
	public static ReturnType ofCode(Class<?> declared) {
		return new ReturnType(null, declared, declared, declared, CompletionAdapterRegistry.find(declared));
	}

	/** Returns the method, which work in code does not have. */
	public Method method() {
		Assert.state(this.source != null, "Work in code has no method");
		return this.source;
	}

	/** Returns what messages call the source of the result. */
	String description() {
		return (this.source != null) ? "@ExclusiveRequest on " + this.source.toGenericString()
				: "Idempotent work that returns a " + this.declared.getSimpleName();
	}

	/** Returns the declared type with its type arguments. */
	public ResolvableType resolvable() {
		return (this.source != null) ? ResolvableType.forMethodReturnType(this.source, this.owner)
				: ResolvableType.forClass(this.declared);
	}

	/** Returns whether it is an entity with a body. */
	public boolean isEntity() {
		return this.declared != this.value;
	}

	/** Returns whether the method is a suspending function of Kotlin. */
	public boolean isSuspending() {
		return this.source != null && KotlinDetector.isSuspendingFunction(this.source);
	}

	/** Returns whether the work of the method has ended when it returns. */
	public boolean isComplete() {
		return this.adapter == null && !isSuspending();
	}

	/** Returns whether it is a reactive type. */
	public boolean isReactive() {
		return hasReactiveValue() && !isEntity();
	}

	/** Returns whether it is a reactive type, or an entity with one. */
	public boolean hasReactiveValue() {
		return this.adapter != null && this.adapter.isReactive();
	}

	/**
	 * Returns whether a call may return a stage of its own before its locks are granted.
	 */
	public boolean isReplaceableStage() {
		return this.adapter instanceof CompletionStageAdapter && CompletionStageAdapter.canReplace(this);
	}

}
