package io.github.lockstarter.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Binds environment variables for single locks. Spring Boot reads
 * {@code LOCK_NAMES_USER_REGISTRATION_TTL} as {@code lock.names.user.registration.ttl},
 * and the settings of a lock {@code user} have no {@code registration}. The settings are
 * added under the {@link EnvironmentVariableName} as well. The order lets the names that
 * are bound here be known to {@link UnknownPropertyWarning}.
 */
@Order(1)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
final class LockEnvironmentVariables implements ConfigurationPropertiesBindHandlerAdvisor {

	private static final ConfigurationPropertyName LOCK = ConfigurationPropertyName.of("lock");

	private static final ConfigurationPropertyName NAMES = LOCK.append("names");

	@Override
	public BindHandler apply(BindHandler handler) {
		return new AbstractBindHandler(handler) {

			@Override
			public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Object result) {
				Object bound = super.onSuccess(name, target, context, result);
				return (bound != null) ? withVariables(bound, context, handler) : null;
			}

			@Override
			public Object onCreate(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Object result) {
				return withVariables(super.onCreate(name, target, context, result), context, handler);
			}

		};
	}

	private static Object withVariables(Object result, BindContext context, BindHandler handler) {
		if (!(result instanceof LockProperties properties)) {
			return result;
		}
		Map<String, LockProperties.Named> names = new LinkedHashMap<>(properties.names());
		for (ConfigurationPropertySource source : context.getSources()) {
			if (source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource
					&& source instanceof IterableConfigurationPropertySource variables) {
				variables.stream().filter(NAMES::isAncestorOf).forEach((variable) -> {
					for (int i = NAMES.getNumberOfElements() + 1; i < variable.getNumberOfElements(); i++) {
						ConfigurationPropertyName prefix = variable.chop(i);
						context.getBinder()
							.bind(prefix, Bindable.of(LockProperties.Named.class), handler)
							.ifBound((named) -> names
								.put(EnvironmentVariableName.of(prefix, NAMES.getNumberOfElements()), named));
					}
				});
			}
		}
		return properties.withNames(names);
	}

}
