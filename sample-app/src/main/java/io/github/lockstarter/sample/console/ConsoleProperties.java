package io.github.lockstarter.sample.console;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Properties under {@code sample.console}.
 *
 * @param tasks Number of tasks that are started at once: 1 to 50.
 * @param duration How long a task takes: up to 5s.
 */
@ConfigurationProperties("sample.console")
record ConsoleProperties(@DefaultValue("10") int tasks, @DefaultValue("200ms") Duration duration) {

	ConsoleProperties {
		if (tasks < 1 || tasks > 50) {
			throw new InvalidConfigurationPropertyValueException("sample.console.tasks", tasks, "It must be 1 to 50");
		}
		if (duration.isNegative() || duration.compareTo(Duration.ofSeconds(5)) > 0) {
			throw new InvalidConfigurationPropertyValueException("sample.console.duration", duration,
					"It must be 0s to 5s");
		}
	}

}
