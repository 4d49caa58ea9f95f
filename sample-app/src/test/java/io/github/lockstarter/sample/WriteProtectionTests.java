package io.github.lockstarter.sample;

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

@SpringBootTest(properties = { "lock.store=memory", "spring.datasource.url=jdbc:h2:mem:write-protection" })
@AutoConfigureMockMvc
class WriteProtectionTests {

	@Autowired
	private MockMvcTester mvc;

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
			192.0.2.1        | Sec-Fetch-Site     | none
			8.8.8.8          | Origin             | http://8.8.8.8
			[2001:db8::1]    | Sec-Fetch-Site     | none
			999.1            | Sec-Fetch-Site     | none
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
		assertRejected(this.mvc.post().uri("/demo/kill").param("instanceId", "own"), host, header, value);
		assertRejected(this.mvc.post().uri("/runs").param("kill", "true"), host, header, value);
		assertRejected(this.mvc.post().uri("/users").param("userName", "taro"), host, header, value);
		assertRejected(this.mvc.delete().uri("/actuator/locks/registration"), host, header, value);
		assertThat(this.mvc.get().uri("/users").param("userName", "taro").header("Host", host).header(header, value))
			.hasStatusOk()
			.hasBodyTextEqualTo("[]");
	}

	private static void assertRejected(MockMvcRequestBuilder request, String host, String header, String value) {
		assertThat(request.header("Host", host).header(header, value)).hasStatus(HttpStatus.FORBIDDEN)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyText()
			.contains("Open it at http://localhost:");
	}

	@Test
	@DisplayName("The page of another site cannot contain a page of the sample")
	void framed() {
		assertThat(this.mvc.get().uri("/")).hasHeader("X-Frame-Options", "DENY");
		assertThat(this.mvc.get().uri("/register")).hasHeader("X-Frame-Options", "DENY");
	}

	@Test
	@DisplayName("A request from another machine to the address of this one passes")
	void ofOtherMachine() {
		assertThat(this.mvc.post()
			.uri("/users")
			.param("userName", "hanako")
			.header("Host", "192.0.2.1:8080")
			.with((request) -> {
				request.setLocalAddr("192.0.2.1");
				return request;
			})).hasStatus(HttpStatus.CREATED);
	}

	@ParameterizedTest
	@CsvSource({ "localhost:8080, Origin, http://localhost:8080", "LOCALHOST, Sec-Fetch-Site, same-origin",
			"127.0.0.1:8080, Sec-Fetch-Site, none", "[::1]:8080, Origin, http://[::1]:8080",
			"[0:0:0:0:0:0:0:1], Accept, */*" })
	@DisplayName("A request by a page of the sample, or by a program, passes")
	void own(String host, String header, String value) {
		assertThat(this.mvc.post().uri("/users").param("userName", host).header("Host", host).header(header, value))
			.hasStatus(HttpStatus.CREATED);
	}

}
