package io.github.lockstarter.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if a property names the store. The values are read as by
 * {@link LockProperties}: surrounding blanks are ignored, and an empty value is the
 * default.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Conditional(ConditionalOnLockStore.OnLockStore.class)
@interface ConditionalOnLockStore {

	/** The required store. */
	LockProperties.Store value();

	/** The properties that may name it. */
	StoreUse use() default StoreUse.ANY;

	/** What a store is used for. */
	enum StoreUse {

		/** All locks that choose no other store: {@code lock.store}. */
		DEFAULT,

		/** Locks that choose it by their names: {@code lock.names.*.store}. */
		NAMED,

		/** Any lock. */
		ANY

	}

	/** Evaluates the annotation. */
	class OnLockStore extends SpringBootCondition {

		private static final ConfigurationPropertyName STORE = ConfigurationPropertyName.of("lock.store");

		private static final ConfigurationPropertyName NAMES = ConfigurationPropertyName.of("lock.names");

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			var annotation = metadata.getAnnotations().get(ConditionalOnLockStore.class);
			LockProperties.Store wanted = annotation.getEnum("value", LockProperties.Store.class);
			StoreUse use = annotation.getEnum("use", StoreUse.class);
			Binder binder = Binder.get(context.getEnvironment());
			if (use != StoreUse.NAMED && names(binder, STORE, wanted, LockProperties.Store.REDIS)) {
				return ConditionOutcome.match("lock.store is " + wanted);
			}
			if (use != StoreUse.DEFAULT
					&& names(context.getEnvironment()).anyMatch((name) -> names(binder, name, wanted, null))) {
				return ConditionOutcome.match("lock.names.*.store is " + wanted);
			}
			return ConditionOutcome.noMatch("no property names the store " + wanted);
		}

		/**
		 * Returns the properties for the stores of single locks. Environment variables
		 * can have several elements in place of the name of the lock.
		 */
		private static Stream<ConfigurationPropertyName> names(Environment environment) {
			return StreamSupport.stream(ConfigurationPropertySources.get(environment).spliterator(), false)
				.filter((source) -> source.containsDescendantOf(NAMES) != ConfigurationPropertyState.ABSENT)
				.filter(IterableConfigurationPropertySource.class::isInstance)
				.flatMap((source) -> ((IterableConfigurationPropertySource) source).stream())
				.filter((name) -> NAMES.isAncestorOf(name)
						&& name.getNumberOfElements() > NAMES.getNumberOfElements() + 1
						&& name.getLastElement(Form.UNIFORM).equals("store"));
		}

		private static boolean names(Binder binder, ConfigurationPropertyName name, LockProperties.Store wanted,
				LockProperties.@Nullable Store byDefault) {
			try {
				return binder.bind(name, Bindable.of(LockProperties.Store.class)).orElse(byDefault) == wanted;
			}
			catch (BindException ex) {
				// The binding of the properties reports the details.
				return false;
			}
		}

	}

}
