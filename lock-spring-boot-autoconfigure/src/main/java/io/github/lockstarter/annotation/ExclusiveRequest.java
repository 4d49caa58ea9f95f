package io.github.lockstarter.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Allows only one call per key to run at a time, across all instances that share the lock
 * store. Concurrent calls with the same key are rejected with HTTP status 409 by default.
 * They can instead wait for their turn, receive the result of the running call, or be
 * skipped: see {@link #onConflict()}.
 *
 * <pre>
 * &#064;PostMapping("/users")
 * &#064;ExclusiveRequest(name = "registration", key = "#userName")
 * ResponseEntity&lt;User&gt; register(@RequestParam String userName) { ... }
 * </pre>
 *
 * The annotation applies to controller methods and to methods of any other Spring bean.
 * On a class, it applies to all methods except those that are private or static, or
 * package-private and inherited from another package. A method that is {@code final} is
 * an error at startup. It can be used as a meta-annotation. The lock is acquired before a
 * transaction begins and released after the transaction has ended. If the lock is lost
 * before the commit, the transaction is rolled back. A parameter of type
 * {@link io.github.lockstarter.Lease} receives the lease of the lock unless the caller
 * passes a value. The parameter is {@code null} if the call runs without the lock,
 * because a condition is false, the lock is switched off, or the method proceeds while
 * the store fails.
 * <p>
 * The lock covers the work, not only the method call. A method can return before its work
 * is done, for example with a {@link java.util.concurrent.CompletionStage}, a
 * {@code Mono}, a {@code Callable} or an emitter. The lock is then held until that work
 * has ended. The method is called only when the lock is held; a reactive method is called
 * for each subscription. A return type that does not indicate when the work ends fails
 * startup.
 * <p>
 * A shared or replayed result is written as JSON and read as the declared return type. A
 * return type that cannot be written and read this way, such as a stream, an emitter or a
 * view, fails startup. A failure is never shared: the next waiter runs the method. A
 * failure is replayed only if {@link #keep()} includes it.
 * <p>
 * Each of several annotations on one method adds a lock. The locks are acquired in an
 * order that is the same for all methods, and released in reverse order.
 * <p>
 * The properties {@code lock.names.<name>.*} override {@link #ttl()},
 * {@link #waitTime()}, {@link #holdAtLeast()} and {@link #status()}. If neither gives a
 * value, the property {@code lock.*} applies. Expressions are checked when the
 * application starts.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Repeatable(ExclusiveRequests.class)
@Reflective(ExclusiveRequestHints.class)
public @interface ExclusiveRequest {

	/**
	 * The name of the lock, as used in {@code lock.names.<name>.*} and in metrics.
	 * Methods with the same name share their locks. {@code ${…}} placeholders are
	 * resolved. Default: class, method and parameter types, so that each method has its
	 * own locks.
	 */
	String name() default "";

	/**
	 * Alias of {@link #key()}.
	 */
	@AliasFor("key")
	String value() default "";

	/**
	 * A SpEL expression for the key. It can read the parameters as {@code #name},
	 * {@code #p0} or {@code #a0}, and also {@code args}, {@code method},
	 * {@code principal}, {@code header('…')}, {@code pathVariable('…')},
	 * {@code param('…')} and {@code path}. A list combines several values into one key,
	 * as in <code>{#tenant, #user}</code>. A request whose key is {@code null} or blank
	 * is rejected with status 400. Default: one lock for the whole method.
	 */
	@AliasFor("value")
	String key() default "";

	/**
	 * A SpEL expression for a collection or an array, as in
	 * {@code "#order.items.![sku]"}: the call acquires one lock for each element, all or
	 * none. The locks are acquired in an order that is the same for all methods. An empty
	 * collection needs no lock. A collection with more than {@code lock.max-keys}
	 * different elements, or with one that is {@code null} or blank, is rejected with
	 * status 400. Only one of {@link #key()}, {@code keys} and {@link #keyResolver()} can
	 * be set. Default: one lock.
	 */
	String keys() default "";

	/**
	 * The name of a bean of type {@link io.github.lockstarter.key.LockKeyResolver} that
	 * returns the value of the key, for keys that an expression cannot compute. Only one
	 * of {@link #key()}, {@link #keys()} and {@code keyResolver} can be set.
	 */
	String keyResolver() default "";

	/**
	 * The time to live of the lock, as in {@code 5s}, {@code PT5S} or {@code ${…}}: the
	 * time after which the lock of a crashed instance expires. The lock is renewed while
	 * the method runs, for at most {@code lock.max-hold}. Default: {@code lock.ttl}.
	 */
	String ttl() default "";

	/**
	 * The longest time to wait for a lock that is held, as in {@code 500ms} or
	 * {@code ${…}}. Default: {@code lock.wait}, which is zero. With
	 * {@link OnConflict#WAIT} and {@link OnConflict#SHARE}, the default is twice the
	 * {@link #ttl()} if {@code lock.wait} is zero. With {@link OnConflict#SKIP},
	 * {@code lock.wait} does not apply, and the default is zero.
	 */
	String waitTime() default "";

	/**
	 * The shortest time for which the lock stays unavailable to others, counted from its
	 * grant, as in {@code 900ms} or {@code ${…}}. It applies even if the method ends
	 * earlier, so that instances whose clocks differ run a scheduled method only once per
	 * interval. At most {@link #ttl()}. Default: the lock is released when the method has
	 * ended.
	 */
	String holdAtLeast() default "";

	/**
	 * What happens to a call whose lock is held. Default: it is rejected.
	 */
	OnConflict onConflict() default OnConflict.REJECT;

	/**
	 * The time for which a result is kept for later duplicates, as in {@code 24h} or
	 * {@code ${…}}. A later call with the same key and the same content receives the kept
	 * result: of a handler, the content of its request; of another method, its arguments.
	 * A call with the same key and other content is rejected with status 422. Callers
	 * with different principals never receive each other's results. Requires a
	 * {@link #key()} or a {@link #keyResolver()}. Default: every call runs.
	 */
	String replay() default "";

	/**
	 * What {@link #replay()} leaves out when it compares the requests to a handler, and
	 * what it adds. It compares the method, the path, the parameters, the body and the
	 * parts, and no headers. {@code -param.trace} leaves out a parameter,
	 * {@code -part.signature} a part of a multipart body, {@code -/sentAt} a member of a
	 * JSON body, as a JSON pointer; {@code +header.X-Tenant} adds a header, with all its
	 * lines. {@code ${…}} placeholders are resolved. Default: nothing is left out or
	 * added.
	 */
	String[] fingerprint() default {};

	/**
	 * The responses that {@link #replay()} keeps: {@code values}, which are returned
	 * values with a status of 2xx or a redirect; a list of statuses, as in
	 * {@code 2xx, 402}; or {@code all}, which includes failures. The response to an
	 * exception is kept as the exception handling of the application produced it. If the
	 * response to a request is not kept, a retry runs the method again. {@code ${…}}
	 * placeholders are resolved. Default: {@code lock.replay.keep}, which is
	 * {@code values}.
	 */
	String keep() default "";

	/**
	 * The HTTP status of a rejection: 409, 422, 423 or 429. Default:
	 * {@code lock.web.conflict-status}.
	 */
	int status() default 0;

	/**
	 * A SpEL expression that decides whether the call needs the lock. It can read the
	 * same values as {@link #key()}. If it is {@code false}, the method runs without a
	 * lock, and a parameter of type {@link io.github.lockstarter.Lease} is {@code null}.
	 * Default: every call needs the lock.
	 */
	String condition() default "";

}
