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
 * An instance that was started without {@code sample.demo.killable}. The JVM of this test
 * would not survive a wrong response.
 */
@SpringBootTest(properties = { "lock.store=memory", "spring.datasource.url=jdbc:h2:mem:not-killable" })
@AutoConfigureMockMvc
class NotKillableTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private Instances instances;

	@Test
	@DisplayName("An instance that was not started to be killed is not killed, not even from its own machine by its id")
	void rejects() {
		assertThat(this.mvc.post()
			.uri("/demo/kill")
			.header("Host", "127.0.0.1")
			.param("instanceId", this.instances.own().instanceId())).hasStatus(HttpStatus.FORBIDDEN);
	}

}
