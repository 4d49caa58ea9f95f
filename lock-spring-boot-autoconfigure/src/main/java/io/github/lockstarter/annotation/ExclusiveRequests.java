package io.github.lockstarter.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Holds several {@link ExclusiveRequest} annotations of one method or class. They need
 * not be written into it.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Reflective(ExclusiveRequestHints.class)
public @interface ExclusiveRequests {

	/**
	 * The annotations.
	 */
	ExclusiveRequest[] value();

}
