package io.github.lockstarter.autoconfigure;

import java.util.Arrays;
import java.util.function.Supplier;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.Environment;

import io.github.lockstarter.key.LockKeyResolver;
import io.github.lockstarter.operation.OperationEnvironment;
import io.github.lockstarter.operation.OperationSettings;
import io.github.lockstarter.result.SharingSettings;

/**
 * The beans and the properties of the application that annotations refer to.
 */
final class ApplicationOperationEnvironment implements OperationEnvironment {

	private final ObjectProvider<LockProperties> properties;

	private final ObjectProvider<SharingSettings> sharing;

	private final Environment environment;

	private final ConfigurableListableBeanFactory beans;

	ApplicationOperationEnvironment(ObjectProvider<LockProperties> properties, ObjectProvider<SharingSettings> sharing,
			Environment environment, ConfigurableListableBeanFactory beans) {
		this.properties = properties;
		this.sharing = sharing;
		this.environment = environment;
		this.beans = beans;
	}

	@Override
	public OperationSettings settings() {
		return this.properties.getObject().ofOperations();
	}

	@Override
	public SharingSettings sharing() {
		return this.sharing.getObject();
	}

	@Override
	public Supplier<LockKeyResolver> keyResolver(String name) {
		if (!this.beans.containsBean(name) || !this.beans.isTypeMatch(name, LockKeyResolver.class)) {
			throw new IllegalArgumentException(
					"There is no bean '%s' of type LockKeyResolver. The beans of this type are %s".formatted(name,
							Arrays.toString(this.beans.getBeanNamesForType(LockKeyResolver.class, true, false))));
		}
		return () -> this.beans.getBean(name, LockKeyResolver.class);
	}

	/**
	 * During ahead-of-time processing, only the locations of annotations matter, and not
	 * every value is known. The placeholder is replaced by a text that is valid as a
	 * duration and as a name.
	 */
	@Override
	public String resolvePlaceholders(String text) {
		try {
			return this.environment.resolveRequiredPlaceholders(text);
		}
		catch (IllegalArgumentException ex) {
			if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
				return "1s";
			}
			throw ex;
		}
	}

}
