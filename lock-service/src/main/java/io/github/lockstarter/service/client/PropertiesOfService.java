package io.github.lockstarter.service.client;

import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * The library refuses properties under {@code lock} that it does not know. Those of the
 * service are there, too, and are checked by {@link ServiceProperties}.
 */
final class PropertiesOfService extends AbstractBindHandler {

	private static final ConfigurationPropertyName LIBRARY = ConfigurationPropertyName.of("lock");

	private static final ConfigurationPropertyName SERVICE = LIBRARY.append("service");

	PropertiesOfService(BindHandler library) {
		super(library);
	}

	@Override
	public void onFinish(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
			@Nullable Object result) throws Exception {
		try {
			super.onFinish(name, target, context, result);
		}
		catch (UnboundConfigurationPropertiesException ex) {
			Set<ConfigurationProperty> unknown = ex.getUnboundProperties()
				.stream()
				.filter((each) -> !(LIBRARY.equals(name) && SERVICE.isAncestorOf(each.getName())))
				.collect(Collectors.toSet());
			if (!unknown.isEmpty()) {
				throw new UnboundConfigurationPropertiesException(unknown);
			}
		}
	}

}
