package io.github.lockstarter.autoconfigure;

import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import io.github.lockstarter.key.NearestName;

/**
 * Warns about every property under {@code lock} that no {@code @ConfigurationProperties}
 * bean binds, with its origin and the nearest known name, and never with its value. The
 * application and other modules may have properties there, too, so all names that their
 * beans bind are known.
 */
@Order(0)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
final class UnknownPropertyWarning implements ConfigurationPropertiesBindHandlerAdvisor, SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(UnknownPropertyWarning.class);

	private static final ConfigurationPropertyName LOCK = ConfigurationPropertyName.of("lock");

	private static final ConfigurationPropertyName NAMES = LOCK.append("names");

	/** A source that cannot be iterated, so that binding asks for all names of a bean. */
	private static final ConfigurationPropertySource NOTHING = (name) -> null;

	private final ConfigurableEnvironment environment;

	private final ListableBeanFactory beans;

	/** The names that were asked for, by their {@link #uniform} form. */
	private final Map<String, String> known = new ConcurrentHashMap<>();

	UnknownPropertyWarning(ConfigurableEnvironment environment, ListableBeanFactory beans) {
		this.environment = environment;
		this.beans = beans;
	}

	@Override
	public BindHandler apply(BindHandler handler) {
		return new AbstractBindHandler(handler) {

			@Override
			public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target,
					BindContext context) {
				if (LOCK.isAncestorOf(name)) {
					String text = withoutIndexes(name);
					UnknownPropertyWarning.this.known.put(uniform(text), text);
				}
				return super.onStart(name, target, context);
			}

		};
	}

	@Override
	public void afterSingletonsInstantiated() {
		// With lazy initialization, the properties may not have been bound yet.
		this.beans.getBean(LockProperties.class);
		for (ConfigurationPropertySource source : ConfigurationPropertySources
			.from(this.environment.getPropertySources())) {
			if (source instanceof IterableConfigurationPropertySource iterable) {
				iterable.stream()
					.filter((name) -> LOCK.isAncestorOf(name) && !isKnown(name, source))
					.forEach((name) -> check(name, source));
			}
		}
	}

	private boolean isKnown(ConfigurationPropertyName name, ConfigurationPropertySource source) {
		String uniform = uniform(withoutIndexes(name));
		return this.known.containsKey(uniform)
				|| (source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource
						&& isKnownVariable(uniform));
	}

	/**
	 * An environment variable may have an underscore instead of a dash:
	 * {@code LOCK_MAX_WAITERS}.
	 */
	private boolean isKnownVariable(String uniform) {
		return this.known.values().stream().anyMatch((each) -> uniform(each.replace('-', '.')).equals(uniform));
	}

	/** A lazy bean that does not exist yet has not been bound. */
	private boolean isForLaterBean(ConfigurationPropertyName name) {
		String uniform = uniform(withoutIndexes(name));
		return Stream.of(this.beans.getBeanDefinitionNames())
			.map((bean) -> this.beans.findAnnotationOnBean(bean, ConfigurationProperties.class, false))
			.filter(Objects::nonNull)
			.map((properties) -> uniform(properties.prefix()))
			.anyMatch((prefix) -> prefix.startsWith("lock.") && !this.known.containsKey(prefix)
					&& uniform.startsWith(prefix + "."));
	}

	/** Warns if the name is unknown even with the names that the beans do not ask for. */
	private void check(ConfigurationPropertyName name, ConfigurationPropertySource source) {
		requestAll(name);
		if (!isKnown(name, source) && !isForLaterBean(name)) {
			logger.warn("%s (%s) is not a known property, and has no effect; the nearest is %s".formatted(name,
					origin(name, source), NearestName.to(name.toString(), this.known.values())));
		}
	}

	/**
	 * Asks for the names of nested properties, which no bean asks for if no property is
	 * set there, and those of stores that are not used.
	 */
	private void requestAll(ConfigurationPropertyName name) {
		Binder nothing = new Binder(NOTHING);
		BindHandler handler = apply(BindHandler.DEFAULT);
		nothing.bindOrCreate(LOCK, Bindable.of(LockProperties.class), handler);
		if (NAMES.isAncestorOf(name)) {
			nothing.bind(withBrackets(name), Bindable.of(LockProperties.Named.class), handler);
		}
		for (LockProperties.Store store : LockProperties.Store.values()) {
			store.bind(nothing, handler);
		}
	}

	/** The name of a lock with dots needs brackets. */
	private static ConfigurationPropertyName withBrackets(ConfigurationPropertyName name) {
		String lock = IntStream.range(NAMES.getNumberOfElements(), Math.max(name.getNumberOfElements() - 1, 3))
			.mapToObj((i) -> name.getElement(i, Form.ORIGINAL))
			.collect(Collectors.joining("."));
		return NAMES.append("[" + lock + "]");
	}

	private static @Nullable Object origin(ConfigurationPropertyName name, ConfigurationPropertySource source) {
		try {
			return Origin.from(source.getConfigurationProperty(name));
		}
		catch (RuntimeException ex) {
			// The origin is read together with the value, whose decryption may fail.
			return "unreadable";
		}
	}

	private static String withoutIndexes(ConfigurationPropertyName name) {
		return name.toString().replaceAll("\\[\\d+]", "");
	}

	/** Returns one form for all names that are equal in relaxed binding. */
	private static String uniform(String name) {
		return name.replace("-", "").toLowerCase(Locale.ROOT);
	}

}
