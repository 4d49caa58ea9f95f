package io.github.lockstarter.compatibility;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

@ExtendWith(OutputCaptureExtension.class)
class OnSpringBoot35Tests {

	@Test
	@DisplayName("On Spring Boot 3.5, an application does not start, and the message names the required version")
	void tooOld(CapturedOutput output) {
		assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
		assertThatException()
			.isThrownBy(() -> SpringApplication.run(Application.class, "--lock.store=memory", "--server.port=0"));
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("lock-spring-boot-starter needs Spring Boot 4.0 or newer, and found "
					+ SpringBootVersion.getVersion())
			.contains("Upgrade to Spring Boot 4.0 or newer")
			.doesNotContain("NoClassDefFoundError");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
