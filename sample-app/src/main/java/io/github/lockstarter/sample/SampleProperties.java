package io.github.lockstarter.sample;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Properties under {@code sample}.
 *
 * @param points The service that grants bonus points.
 * @param reports Reports.
 */
@ConfigurationProperties("sample")
record SampleProperties(@DefaultValue Points points, @DefaultValue Reports reports) {

	/**
	 * The service that grants bonus points.
	 *
	 * @param latency How long the last step of a registration takes, which grants bonus
	 * points.
	 * @param fail Whether the last step of a registration fails.
	 */
	record Points(@DefaultValue("500ms") Duration latency, @DefaultValue("false") boolean fail) {

		Points {
			check("sample.points.latency", latency);
		}

	}

	/**
	 * Reports.
	 *
	 * @param latency How long a report takes.
	 */
	record Reports(@DefaultValue("1s") Duration latency) {

		Reports {
			check("sample.reports.latency", latency);
		}

	}

	private static void check(String property, Duration latency) {
		if (latency.isNegative()) {
			throw new InvalidConfigurationPropertyValueException(property, latency, "It must not be negative");
		}
	}

}
