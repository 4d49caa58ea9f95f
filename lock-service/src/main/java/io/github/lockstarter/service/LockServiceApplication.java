package io.github.lockstarter.service;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/**
 * Grants locks over HTTP, to programs in any language.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
public class LockServiceApplication {

	public static void main(String[] args) {
		SpringApplication.run(LockServiceApplication.class, args);
	}

}
