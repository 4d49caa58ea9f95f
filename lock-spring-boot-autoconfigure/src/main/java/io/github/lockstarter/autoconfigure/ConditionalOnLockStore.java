package io.github.lockstarter.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if {@code lock.store} names the store. The value is read as by
 * {@link LockProperties}: surrounding blanks are ignored, and an empty value is the
 * default.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Conditional(ConditionalOnLockStore.OnLockStore.class)
@interface ConditionalOnLockStore {

	/** The required store. */
	LockProperties.Store value();

	/** Evaluates the annotation. */
	class OnLockStore extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			LockProperties.Store wanted = metadata.getAnnotations()
				.get(ConditionalOnLockStore.class)
				.getEnum("value", LockProperties.Store.class);
			try {
				LockProperties.Store named = Binder.get(context.getEnvironment())
					.bind("lock.store", LockProperties.Store.class)
					.orElse(LockProperties.Store.REDIS);
				return new ConditionOutcome(named == wanted, "lock.store is " + named);
			}
			catch (BindException ex) {
				// The binding of the properties reports the details.
				return ConditionOutcome.noMatch("lock.store is no store");
			}
		}

	}

}
