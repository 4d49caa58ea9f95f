package io.github.lockstarter.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

import io.github.lockstarter.sample.console.Console;

/**
 * Registers users, one request per user name at a time, over all instances that share a
 * Redis.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
public class SampleApplication {

	public static void main(String[] args) {
		if (Console.isMeant(args)) {
			System.exit(Console.run(args));
		}
		// The database that instances share is served on this machine only.
		System.setProperty("h2.bindAddress", "127.0.0.1");
		SpringApplication application = new SpringApplication(SampleApplication.class);
		application.addInitializers(new EmbeddedRedis());
		application.run(args);
	}

}
