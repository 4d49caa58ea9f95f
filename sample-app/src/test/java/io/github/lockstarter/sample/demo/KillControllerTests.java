package io.github.lockstarter.sample.demo;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who may not kill an instance. The JVM of these tests would not survive a wrong answer.
 */
@SpringBootTest(
		properties = { "lock.store=memory", "sample.demo.killable=true", "spring.datasource.url=jdbc:h2:mem:kill" })
@AutoConfigureMockMvc
class KillControllerTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private Instances instances;

	@Test
	@DisplayName("An instance is killed only from its own machine, and only by a caller that knows its id")
	void refuses() {
		assertThat(kill("another", "127.0.0.1")).isEqualTo(HttpStatus.FORBIDDEN.value());
		assertThat(kill(this.instances.own().instanceId(), "192.0.2.1")).isEqualTo(HttpStatus.FORBIDDEN.value());
	}

	private int kill(String instanceId, String from) {
		return this.mvc.post().uri("/demo/kill").param("instanceId", instanceId).with((request) -> {
			request.setRemoteAddr(from);
			return request;
		}).exchange().getResponse().getStatus();
	}

}
