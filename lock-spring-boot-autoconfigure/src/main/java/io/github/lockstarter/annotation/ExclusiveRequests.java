package io.github.lockstarter.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Container annotation for several {@link ExclusiveRequest} annotations on one method or
 * class. The annotations can be repeated without it.
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
