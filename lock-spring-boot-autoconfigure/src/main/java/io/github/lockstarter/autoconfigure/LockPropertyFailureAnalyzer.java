package io.github.lockstarter.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Reports a property under {@code lock} that is out of range, with its value. Spring
 * Boot's own analyzer has a lower precedence, and would report the class of the
 * properties.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class LockPropertyFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

	private static final ConfigurationPropertyName LOCK = ConfigurationPropertyName.of("lock");

	private final Environment environment;

	LockPropertyFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
		if (!LOCK.equals(cause.getName()) && !LOCK.isAncestorOf(cause.getName())) {
			return null;
		}
		InvalidConfigurationPropertyValueException invalid = findCause(cause,
				InvalidConfigurationPropertyValueException.class);
		if (invalid != null) {
			return new FailureAnalysis(
					"%s is %s. %s.".formatted(invalid.getName(), written(invalid), invalid.getReason()),
					"Correct the value of %s.".formatted(invalid.getName()), cause);
		}
		return null;
	}

	/** A text is taken from the exception, which does not contain secrets. */
	private @Nullable Object written(InvalidConfigurationPropertyValueException invalid) {
		if (invalid.getValue() instanceof String text) {
			return text.isBlank() ? "blank" : "'" + text + "'";
		}
		String written = (invalid.getValue() instanceof Duration) ? this.environment.getProperty(invalid.getName())
				: null;
		return (written != null) ? written : invalid.getValue();
	}

}
