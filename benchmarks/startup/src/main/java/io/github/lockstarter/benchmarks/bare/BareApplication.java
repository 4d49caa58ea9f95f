package io.github.lockstarter.benchmarks.bare;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * Spring MVC and nothing else.
 */
@SpringBootApplication
public class BareApplication {

	public static void main(String[] args) {
		SpringApplication.run(BareApplication.class, args);
	}

}
