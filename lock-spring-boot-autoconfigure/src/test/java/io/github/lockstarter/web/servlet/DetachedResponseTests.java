package io.github.lockstarter.web.servlet;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A response reaches the one that it may become only when it is sent.
 */
class DetachedResponseTests {

	private final MockHttpServletResponse original = new MockHttpServletResponse();

	private final DetachedResponse response = new DetachedResponse(this.original);

	@Test
	@DisplayName("A redirect is not sent at once")
	void redirect() throws Exception {
		this.response.getWriter().print("before");
		this.response.sendRedirect("/other");
		assertThat(this.original.isCommitted()).isFalse();
		assertThat(this.original.getStatus()).isEqualTo(200);
		this.response.send();
		assertRedirect(302, "");
	}

	@ParameterizedTest
	@CsvSource({ "303, true, ''", "307, false, before" })
	@DisplayName("A redirect has the status that is chosen, and the body only if that is to remain")
	void redirectWithStatus(int status, boolean clearBuffer, String body) throws Exception {
		this.response.getWriter().print("before");
		this.response.sendRedirect("/other", status, clearBuffer);
		assertThat(this.original.isCommitted()).isFalse();
		assertThat(this.response.getStatus()).isEqualTo(status);
		this.response.send();
		assertRedirect(status, body);
	}

	@ParameterizedTest
	@CsvSource({ "true, ''", "false, before" })
	@DisplayName("A redirect without a status is a 302")
	void redirectWithoutStatus(boolean clearBuffer, String body) throws Exception {
		this.response.getWriter().print("before");
		this.response.sendRedirect("/other", clearBuffer);
		this.response.send();
		assertRedirect(302, body);
	}

	@Test
	@DisplayName("A redirect with a status has no body")
	void redirectWithOnlyStatus() throws Exception {
		this.response.getWriter().print("before");
		this.response.sendRedirect("/other", 308);
		this.response.send();
		assertRedirect(308, "");
	}

	private void assertRedirect(int status, String body) throws Exception {
		assertThat(this.original.getStatus()).isEqualTo(status);
		assertThat(this.original.getHeader("Location")).isEqualTo("/other");
		assertThat(this.original.getContentAsString()).isEqualTo(body);
	}

}
