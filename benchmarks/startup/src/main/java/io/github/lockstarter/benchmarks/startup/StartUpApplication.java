package io.github.lockstarter.benchmarks.startup;

import java.lang.management.ManagementFactory;
import java.util.Objects;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;

/**
 * Prints its startup time, and ends.
 */
@SpringBootApplication
public class StartUpApplication {

	public static void main(String[] args) {
		System.exit(SpringApplication.exit(SpringApplication.run(StartUpApplication.class, args)));
	}

	@EventListener
	void print(ApplicationReadyEvent event) {
		long now = System.currentTimeMillis();
		System.out.printf("ready %d %d %d%n", now - ManagementFactory.getRuntimeMXBean().getStartTime(),
				Objects.requireNonNull(event.getTimeTaken()).toMillis(),
				event.getApplicationContext().getBeanDefinitionCount());
	}

}
