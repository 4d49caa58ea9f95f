package io.github.lockstarter.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Gives the application context of a test locks in memory, and a {@link TestLockRegistry}
 * to control them, whatever {@code lock.store} is. Nothing connects to a store. Works on
 * a test of the whole application ({@code @SpringBootTest}) and on any slice
 * ({@code @WebMvcTest}, {@code @WebFluxTest}, …); only the beans that a slice includes
 * are under locks.
 * <p>
 * All other properties under {@code lock} apply as in the application, and so do waiting,
 * sharing, replays and HTTP answers. A {@code LockStore} bean of the application is not
 * used. A {@code LockRegistry} bean of the application is, and then there is nothing to
 * control.
 * <p>
 * After each test method the locks are {@linkplain TestLockRegistry#reset() reset}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureLocks {

}
