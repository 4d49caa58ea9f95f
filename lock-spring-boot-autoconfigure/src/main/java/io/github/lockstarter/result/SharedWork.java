package io.github.lockstarter.result;

import java.lang.reflect.Method;
import java.util.Arrays;

import org.springframework.util.ClassUtils;

/**
 * The work whose results are shared, as messages and the store name it.
 *
 * @param name its name in messages
 * @param declaration the beginning of the message that its results cannot be shared
 * @param signature distinguishes it from other work under the same lock
 */
record SharedWork(String name, String declaration, String signature) {

	/**
	 * Returns the work of an annotated method.
	 * @param owner the class of the bean
	 */
	static SharedWork of(Method method, Class<?> owner) {
		String name = method.toGenericString();
		return new SharedWork(name,
				"@ExclusiveRequest on %s cannot share or replay what the method returns".formatted(name),
				ClassUtils.getQualifiedMethodName(method, owner) + Arrays.toString(method.getParameterTypes()));
	}

	/**
	 * Returns work in code.
	 * @param result the type of its result
	 */
	static SharedWork inCode(String lockName, ResultType result) {
		return new SharedWork("Idempotent work with a result of type " + result.type(),
				"Idempotent work under lock '%s' cannot keep a result of type %s".formatted(lockName, result.type()),
				"");
	}

}
