package io.github.lockstarter.benchmarks.bare;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * An application with only Spring MVC.
 */
@SpringBootApplication
public class BareApplication {

	public static void main(String[] args) {
		SpringApplication.run(BareApplication.class, args);
	}

}
