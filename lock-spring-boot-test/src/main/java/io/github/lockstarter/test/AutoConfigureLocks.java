package io.github.lockstarter.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Configures locks in memory for the application context of a test, regardless of
 * {@code lock.store} and {@code lock.names.*.store}, and a {@link TestLockRegistry} that
 * controls them. There is no connection to a store. The annotation can be used on a test
 * of the whole application ({@code @SpringBootTest}) and on any slice
 * ({@code @WebMvcTest}, {@code @WebFluxTest}, …). In a slice, only the beans that it
 * includes are guarded by locks.
 * <p>
 * All other properties under {@code lock} apply as in the application. Waiting, sharing,
 * replays and HTTP responses work as in the application. A {@code LockStore} bean of the
 * application is not used. A {@code LockRegistry} bean of the application takes
 * precedence; its locks cannot be controlled.
 * <p>
 * The locks are {@linkplain TestLockRegistry#reset() reset} after each test method.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureLocks {

}
