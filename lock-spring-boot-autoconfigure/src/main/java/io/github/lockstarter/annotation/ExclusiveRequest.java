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
 * Lets only one call per key run at a time, over all servers that share the lock store;
 * the others are refused with HTTP status 409, wait their turn, or are given the result
 * of the one that runs.
 *
 * <pre>
 * &#064;PostMapping("/users")
 * &#064;ExclusiveRequest(key = "#userName")
 * ResponseEntity&lt;User&gt; register(@RequestParam String userName) { ... }
 * </pre>
 *
 * It works on controller methods and on the methods of every other Spring bean, on a
 * class for all its methods that are not private, and as a meta-annotation. The lock is
 * taken before a transaction begins and freed after it has ended; if it was lost before
 * the commit, the transaction is rolled back. A parameter of type
 * {@link io.github.lockstarter.Lease} for which the caller has no value is filled in.
 * <p>
 * The lock covers the work, not the call: where a method returns before its work is done,
 * as with a {@link java.util.concurrent.CompletionStage}, a {@code Mono}, a
 * {@code Callable} or an emitter, until that has ended. The method is called only when
 * the lock is held; a reactive one is, whenever it is subscribed to. Return types that do
 * not tell when the work ends are refused at start-up.
 * <p>
 * A result that is shared or replayed is written as JSON, and read as the declared return
 * type. Results for which that cannot work, such as streams, emitters and views, are
 * refused at start-up. A failure is never shared: the next caller runs. It is replayed
 * only where {@link #keep()} says so.
 * <p>
 * Several annotations on one method mean several locks, which are taken in an order that
 * is the same for all methods, and released in reverse.
 * <p>
 * Every attribute that is left out comes from {@code lock.names.<name>.*} or
 * {@code lock.*}, and {@code lock.names.<name>.*} has the last word over those that are
 * given. Expressions are checked when the application starts.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Repeatable(ExclusiveRequests.class)
@Reflective(ExclusiveRequestHints.class)
public @interface ExclusiveRequest {

	/**
	 * The name of the lock, under which it is configured. Methods that share a name share
	 * their locks. May be a {@code ${…}} placeholder. Default: class, method and
	 * parameter types, so that every method has locks of its own.
	 */
	String name() default "";

	/**
	 * Alias of {@link #key()}.
	 */
	@AliasFor("key")
	String value() default "";

	/**
	 * A SpEL expression for the key. It sees the parameters as {@code #name}, {@code #p0}
	 * or {@code #a0}, and {@code args}, {@code method}, {@code principal},
	 * {@code header('…')} and {@code path}. Several values form one key as a list,
	 * <code>{#tenant, #user}</code>. A request for which it is {@code null} or blank is
	 * answered with 400. Default: one lock for the whole method.
	 */
	@AliasFor("value")
	String key() default "";

	/**
	 * A SpEL expression for a collection or an array, as in
	 * {@code "#order.items.![sku]"}: the call needs one lock for each element, all or
	 * none. They are taken in an order that is the same for all methods. An empty
	 * collection needs no lock; one with more than {@code lock.max-keys} elements is
	 * answered with 400. In place of {@link #key()}. Default: one lock.
	 */
	String keys() default "";

	/**
	 * The name of a bean of type {@link io.github.lockstarter.key.LockKeyResolver} that
	 * returns the value of the key, where an expression is too little. In place of
	 * {@link #key()}.
	 */
	String keyResolver() default "";

	/**
	 * How long the lock outlives a server that died while it held it, as in {@code 5s},
	 * {@code PT5S} or {@code ${…}}. It is renewed while the method runs, for
	 * {@code lock.max-hold} at most. Default: {@code lock.ttl}.
	 */
	String ttl() default "";

	/**
	 * How long to wait for a lock that is held, as in {@code 500ms} or {@code ${…}}.
	 * Default: {@code lock.wait}, which does not wait; but see {@link #onConflict()}.
	 * (Java reserves the name {@code wait}.)
	 */
	String waitTime() default "";

	/**
	 * How long the lock is kept from others at least, counted from its grant, as in
	 * {@code 900ms} or {@code ${…}}, even if the method ends earlier: so that instances
	 * whose clocks differ run a scheduled method once in an interval. At most the
	 * {@link #ttl()}. Default: the lock is free when the method has ended.
	 */
	String holdAtLeast() default "";

	/**
	 * What happens to a request whose lock is held. Default: it is refused.
	 */
	OnConflict onConflict() default OnConflict.REJECT;

	/**
	 * For how long a result is kept for later duplicates, as in {@code 24h} or
	 * {@code ${…}}: whoever calls with the same key in that time is answered with it, and
	 * with 422 if the arguments are other ones. Callers with different principals do not
	 * see each other's results. Needs a {@link #key()}. Default: every call runs.
	 */
	String replay() default "";

	/**
	 * Which answers a {@link #replay()} keeps: {@code values} that are returned, with a
	 * status of 2xx or a redirect; statuses, as in {@code 2xx, 402}; or {@code all},
	 * failures included. The answer to an exception is kept as the exception handling
	 * made it. A request whose answer is not kept releases the key, so that a retry runs.
	 * May be a {@code ${…}} placeholder. Default: {@code lock.replay.keep}, which keeps
	 * {@code values}.
	 */
	String keep() default "";

	/**
	 * The HTTP status of a refusal: 409, 422, 423 or 429. Default:
	 * {@code lock.web.conflict-status}.
	 */
	int status() default 0;

	/**
	 * A SpEL expression that sees the same as {@link #key()}; when it is {@code false},
	 * the method runs without a lock, and a parameter of type
	 * {@link io.github.lockstarter.Lease} is {@code null}. Default: always lock.
	 */
	String condition() default "";

}
