package io.github.lockstarter.service.client;

import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

import io.github.lockstarter.LockConfigurationException;

/**
 * The library refuses properties under {@code lock} that it does not know. Those of the
 * service are there, too, and are checked by {@link ServiceProperties}. Neither shows the
 * values of what it refuses.
 */
final class ServicePropertiesBindHandler extends AbstractBindHandler {

	private static final ConfigurationPropertyName LIBRARY = ConfigurationPropertyName.of("lock");

	private static final ConfigurationPropertyName SERVICE = LIBRARY.append("service");

	ServicePropertiesBindHandler(BindHandler library) {
		super(library);
	}

	@Override
	public void onFinish(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
			@Nullable Object result) throws Exception {
		try {
			super.onFinish(name, target, context, result);
		}
		catch (UnboundConfigurationPropertiesException ex) {
			String unknown = ex.getUnboundProperties()
				.stream()
				.filter((each) -> !(LIBRARY.equals(name) && SERVICE.isAncestorOf(each.getName())))
				.map((each) -> "%s (%s)".formatted(each.getName(), each.getOrigin()))
				.collect(Collectors.joining(", "));
			if (!unknown.isEmpty()) {
				// Without values: one of them may be a key whose name is misspelt.
				throw new LockConfigurationException("There is no such property: %s.".formatted(unknown),
						"Correct its name, or remove it.");
			}
		}
	}

}
