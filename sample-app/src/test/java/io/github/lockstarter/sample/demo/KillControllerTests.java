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
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MockMvcTester.MockMvcRequestBuilder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that may not kill an instance. The JVM of these tests would not survive a
 * wrong answer.
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
			.contains("A server is killed only by this page, opened at localhost");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			localhost        | Sec-Fetch-Site     | cross-site
			localhost        | Sec-Fetch-Site     | same-site
			localhost:8080   | Origin             | null
			localhost:8080   | Origin             | http://example.org
			localhost:8080   | Origin             | http://localhost:8081
			localhost:8080   | Origin             | http://example.org/localhost:8080
			example.org      | Sec-Fetch-Site     | same-origin
			localhost.evil   | Sec-Fetch-Site     | none
			127.0.0.1.nip.io | Sec-Fetch-Site     | none
			localhost        | X-Forwarded-For    | 127.0.0.1
			localhost        | x-forwarded-host   | localhost
			localhost        | X-Forwarded-Proto  | http
			localhost        | X-Forwarded-Prefix | /sample
			localhost        | X-Real-IP          | 127.0.0.1
			localhost        | Forwarded          | for=127.0.0.1
			localhost        | Via                | 1.1 proxy
			""")
	@DisplayName("A request by the page of another site, by another name of this machine or through a proxy kills and changes nothing")
	void forged(String host, String header, String value) {
		String own = this.instances.own().instanceId();
		assertRefused(from("127.0.0.1", host, null, "/demo/kill").param("instanceId", own).header(header, value));
		assertRefused(from("127.0.0.1", host, null, "/runs").param("kill", "true").header(header, value));
		assertRefused(from("127.0.0.1", host, null, "/users").param("userName", "taro").header(header, value));
		assertRefused(this.mvc.delete().uri("/actuator/locks/registration").header("Host", host).header(header, value));
		assertThat(this.mvc.get().uri("/users").param("userName", "taro").header("Host", host).header(header, value))
			.hasStatusOk()
			.hasBodyTextEqualTo("[]");
	}

	private static void assertRefused(MockMvcRequestBuilder request) {
		assertThat(request).hasStatus(HttpStatus.FORBIDDEN)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyText()
			.contains("Open it at http://localhost:");
	}

	@ParameterizedTest
	@CsvSource({ "127.0.0.1, localhost:8080, same-origin", "127.0.0.1, 127.0.0.1:8080, none",
			"0:0:0:0:0:0:0:1, [::1]:8080, same-origin", "127.0.0.1, localhost, " })
	@DisplayName("A request by the page on this machine is not refused, but needs another server that may be killed")
	void fromHere(String address, String host, String site) {
		assertThat(from(address, host, site, "/runs").param("kill", "true"))
			.hasStatus(HttpStatus.UNPROCESSABLE_CONTENT);
	}

	private MockMvcRequestBuilder from(String address, String host, @Nullable String site, String path) {
		MockMvcRequestBuilder request = this.mvc.post().uri(path).header("Host", host).with((each) -> {
			each.setRemoteAddr(address);
			return each;
		});
		return (site != null) ? request.header("Sec-Fetch-Site", site) : request;
	}

}
