package io.github.lockstarter.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

import io.github.lockstarter.sample.console.Console;

/**
 * Registers users, one request per user name at a time, across all instances that share
 * the store.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
public class SampleApplication {

	public static void main(String[] args) {
		// The shared database is accessible only from this machine.
		System.setProperty("h2.bindAddress", "127.0.0.1");
		SampleFolder folder = SampleFolder.ofUser();
		if (Console.isMeant(args)) {
			System.exit(Console.run(args, folder, EmbeddedRedis.ofOtherInstance(folder)));
		}
		SpringApplication application = new SpringApplication(SampleApplication.class);
		application.addInitializers(folder, EmbeddedRedis.startedIfMissing(folder));
		application.run(args);
	}

}
