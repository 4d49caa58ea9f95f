package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

import org.springframework.util.ClassUtils;

import io.github.lockstarter.LockConfigurationException;

/**
 * Refuses methods that no proxy can put under a lock, and that would run without one.
 */
final class UnreachableMethods {

	private UnreachableMethods() {
	}

	/**
	 * Refuses the method if the proxy of an object of the class cannot override it.
	 * @throws LockConfigurationException if so
	 */
	static void refuse(Method method, Class<?> type) {
		if ((method.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC | Modifier.FINAL)) != 0) {
			throw new LockConfigurationException(
					"@ExclusiveRequest on %s, which is private, static or final: no proxy can put it under a lock."
						.formatted(method.toGenericString()),
					"Make it a public method of the instance that is not final. If it is the class that is annotated, its single methods can be instead.");
		}
		if (Modifier.isFinal(type.getModifiers()) && ClassUtils.getAllInterfacesForClass(type).length == 0) {
			throw new LockConfigurationException(
					"@ExclusiveRequest on %s of the final class %s: no proxy can extend it, and put the method under a lock."
						.formatted(method.toGenericString(), type.getName()),
					"Make the class one that is not final; in Kotlin, open it, or use the compiler plugin 'spring' (all-open).");
		}
		if (isOfOtherPackage(method, type)) {
			throw new LockConfigurationException(
					"@ExclusiveRequest on %s, which only its own package can override: no proxy of a %s can put it under a lock."
						.formatted(method.toGenericString(), type.getName()),
					"Make it protected or public.");
		}
	}

	/**
	 * Whether the method belongs to a superclass that keeps it from the class, which for
	 * the class is like a private one.
	 */
	static boolean isOfOtherPackage(Method method, Class<?> type) {
		Class<?> declaring = method.getDeclaringClass();
		return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.PRIVATE)) == 0
				&& (declaring.getClassLoader() != type.getClassLoader()
						|| !ClassUtils.getPackageName(declaring).equals(ClassUtils.getPackageName(type)));
	}

}
