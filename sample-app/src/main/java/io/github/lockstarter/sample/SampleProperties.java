package io.github.lockstarter.sample;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

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
	}

	/**
	 * Reports.
	 *
	 * @param latency How long a report takes.
	 */
	record Reports(@DefaultValue("1s") Duration latency) {
	}

}
