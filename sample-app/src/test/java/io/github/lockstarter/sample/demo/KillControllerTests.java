package io.github.lockstarter.sample.demo;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MockMvcTester.MockMvcRequestBuilder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that may not kill an instance. The JVM of these tests would not survive a
 * wrong response.
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
	@DisplayName("A request with another id does not kill the instance")
	void anotherId() {
		assertThat(from("127.0.0.1", "localhost", "none", "/demo/kill").param("instanceId", "another"))
			.hasStatus(HttpStatus.FORBIDDEN);
	}

	@Test
	@DisplayName("A request from another machine kills neither this instance nor another one")
	void notFromHere() {
		assertThat(from("192.0.2.1", "localhost", "none", "/demo/kill").param("instanceId",
				this.instances.own().instanceId()))
			.hasStatus(HttpStatus.FORBIDDEN);
		assertThat(from("192.0.2.1", "localhost", "none", "/runs").param("kill", "true"))
			.hasStatus(HttpStatus.FORBIDDEN)
			.bodyText()
			.contains("An instance is killed only by this page, opened at localhost");
	}

	@Test
	@DisplayName("A request through a proxy does not kill the instance")
	void throughProxy() {
		assertThat(from("127.0.0.1", "localhost", "none", "/demo/kill").header("X-Forwarded-For", "127.0.0.1")
			.param("instanceId", this.instances.own().instanceId())).hasStatus(HttpStatus.FORBIDDEN);
	}

	@ParameterizedTest
	@CsvSource({ "127.0.0.1, localhost:8080, same-origin", "127.0.0.1, 127.0.0.1:8080, none",
			"0:0:0:0:0:0:0:1, [::1]:8080, same-origin", "127.0.0.1, localhost, " })
	@DisplayName("A request by the page on this machine is not rejected, but needs another instance that may be killed")
	void fromHere(String address, String host, String site) {
		assertThat(from(address, host, site, "/runs").param("kill", "true"))
			.hasStatus(HttpStatus.UNPROCESSABLE_CONTENT);
	}

	@Test
	@DisplayName("A payment is not compared where no lock is in Redis, and the page says what to do")
	void withoutRedis() {
		assertThat(from("127.0.0.1", "localhost", "none", "/runs").param("kill", "payment"))
			.hasStatus(HttpStatus.UNPROCESSABLE_CONTENT)
			.bodyText()
			.contains("start all instances with --lock.store=redis")
			.doesNotContain("after a payment");
	}

	private MockMvcRequestBuilder from(String address, String host, @Nullable String site, String path) {
		MockMvcRequestBuilder request = this.mvc.post().uri(path).header("Host", host).with((each) -> {
			each.setRemoteAddr(address);
			return each;
		});
		return (site != null) ? request.header("Sec-Fetch-Site", site) : request;
	}

}
