package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.RawRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A redirect is stored before it is sent, in a container that sends it at once, as Jetty
 * does.
 */
class SentRedirectsTests {

	private static TestServer server;

	private String key;

	@BeforeAll
	static void start() {
		server = TestServer.start(new Class<?>[] { TestServer.Application.class, Container.class, Redirecting.class },
				"lock.store=memory", "spring.main.web-application-type=servlet");
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@BeforeEach
	void newKey() {
		this.key = UUID.randomUUID().toString();
		Redirecting.runs = 0;
	}

	@ParameterizedTest
	@CsvSource({ "/view, 302", "/by-hand, 302", "/with-status, 303", "/written-before, 302", "/written-after, 302" })
	@DisplayName("A client that has received a redirect repeats its request, and gets the same redirect")
	void stored(String path, int status) throws Exception {
		Container.pause = new CountDownLatch(1);
		try (RawRequest first = RawRequest.post(server.port(), path, "Idempotency-Key: " + this.key)) {
			first.awaitPart("Location: ");
			HttpResponse<String> again = server.post(path, "Idempotency-Key", this.key);
			assertThat(again.statusCode()).as(again.body()).isEqualTo(status);
			assertThat(again.headers().firstValue("Location")).hasValue("/elsewhere");
			assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
			assertThat(again.body()).isEmpty();
			assertThat(Redirecting.runs).isOne();
		}
		finally {
			Container.pause.countDown();
		}
	}

	@Test
	@DisplayName("A redirect is sent in the way in which it was asked for, since a filter may replace the location in only one")
	void sameWay() throws Exception {
		Container.pause = null;
		assertThat(server.post("/by-hand", "Idempotency-Key", this.key).headers().firstValue("Asked-For"))
			.hasValue("location");
	}

	@Test
	@DisplayName("The redirect of an asynchronous handler is sent once")
	void asynchronous() throws Exception {
		Container.pause = null;
		Container.redirects.set(0);
		assertThat(server.post("/asynchronous", "Idempotency-Key", this.key).statusCode()).isEqualTo(302);
		assertThat(server.post("/asynchronous", "Idempotency-Key", this.key).headers().firstValue("Location"))
			.hasValue("/elsewhere");
		assertThat(Container.redirects).hasValue(1);
	}

	@Test
	@DisplayName("A response without a body that its handler flushes is not sent before it is stored")
	void flushed() throws Exception {
		Container.pause = null;
		assertThat(server.post("/flushed", "Idempotency-Key", this.key).statusCode()).isEqualTo(204);
		assertThat(Redirecting.committed).isFalse();
		HttpResponse<String> again = server.post("/flushed", "Idempotency-Key", this.key);
		assertThat(again.statusCode()).isEqualTo(204);
		assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
	}

	@Test
	@DisplayName("The language of a view, which the container sends, is replayed")
	void language() throws Exception {
		Container.pause = null;
		HttpResponse<String> first = server.post("/view", "Idempotency-Key", this.key, "Accept-Language", "fr");
		assertThat(first.headers().firstValue("Content-Language")).hasValue("fr");
		assertThat(server.post("/view", "Idempotency-Key", this.key, "Accept-Language", "fr")
			.headers()
			.firstValue("Content-Language")).hasValue("fr");
	}

	@Test
	@DisplayName("The body that was written before a redirect is sent and kept if it is to remain")
	void withBody() throws Exception {
		Container.pause = null;
		HttpResponse<String> first = server.post("/with-body", "Idempotency-Key", this.key);
		HttpResponse<String> again = server.post("/with-body", "Idempotency-Key", this.key);
		assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
		for (HttpResponse<String> each : List.of(first, again)) {
			assertThat(each.statusCode()).isEqualTo(303);
			assertThat(each.headers().firstValue("Location").orElseThrow()).endsWith("/elsewhere");
			assertThat(each.body()).isEqualTo("body");
		}
	}

	/** Sends a redirect at once, and completes the response only later. */
	static class Container {

		static final AtomicInteger redirects = new AtomicInteger();

		static volatile @Nullable CountDownLatch pause;

		@Bean
		FilterRegistrationBean<Filter> container() {
			FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response,
					chain) -> chain.doFilter(request, new SendingAtOnce((HttpServletResponse) response)));
			// Before a filter with the same order that is not registered in this way.
			registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
			return registration;
		}

	}

	private static final class SendingAtOnce extends HttpServletResponseWrapper {

		SendingAtOnce(HttpServletResponse response) {
			super(response);
		}

		@Override
		public void sendRedirect(String location) throws IOException {
			setHeader("Asked-For", "location");
			sendRedirect(location, SC_FOUND, true);
		}

		@Override
		public void sendRedirect(String location, int status) throws IOException {
			sendRedirect(location, status, true);
		}

		@Override
		public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
			Container.redirects.incrementAndGet();
			if (clearBuffer) {
				resetBuffer();
			}
			setStatus(status);
			setHeader("Location", location);
			flushBuffer();
			CountDownLatch pause = Container.pause;
			if (pause != null) {
				try {
					pause.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}
		}

	}

	@Controller
	@ExclusiveRequest(name = "redirects", key = "header('Idempotency-Key')", replay = "1h")
	static class Redirecting {

		static int runs;

		static boolean committed;

		@PostMapping("/asynchronous")
		CompletableFuture<String> asynchronous() {
			return CompletableFuture.supplyAsync(() -> "redirect:/elsewhere");
		}

		@PostMapping("/flushed")
		void flushed(HttpServletResponse response) throws IOException {
			response.setStatus(204);
			response.flushBuffer();
			committed = response.isCommitted();
		}

		@PostMapping("/view")
		String view() {
			runs++;
			return "redirect:/elsewhere";
		}

		@PostMapping("/by-hand")
		void byHand(HttpServletResponse response) throws IOException {
			runs++;
			response.sendRedirect("/elsewhere");
		}

		@PostMapping("/with-status")
		void withStatus(HttpServletResponse response) throws IOException {
			runs++;
			response.sendRedirect("/elsewhere", 303);
		}

		@PostMapping("/written-before")
		void writtenBefore(HttpServletResponse response) throws IOException {
			runs++;
			response.getWriter().print("before");
			response.sendRedirect("/elsewhere");
			response.getWriter().print("after");
			response.flushBuffer();
		}

		@PostMapping("/written-after")
		void writtenAfter(HttpServletResponse response) throws IOException {
			runs++;
			response.sendRedirect("/elsewhere");
			response.getOutputStream().print("after");
		}

		@PostMapping("/with-body")
		void withBody(HttpServletResponse response) throws IOException {
			runs++;
			response.getOutputStream().print("body");
			response.sendRedirect("/elsewhere", 303, false);
		}

	}

}
