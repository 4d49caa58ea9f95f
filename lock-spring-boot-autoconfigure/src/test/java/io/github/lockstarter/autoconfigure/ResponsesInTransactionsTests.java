package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import com.fasterxml.jackson.annotation.JsonProperty;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.Ordered;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Controller;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.ViewResolver;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With the locks in the database of the data, Spring MVC makes the response to a request
 * within the transaction of its handler, and sends that one.
 */
class ResponsesInTransactionsTests {

	private static TestServer server;

	private String key;

	@BeforeAll
	static void start() {
		server = TestServer.start(
				new Class<?>[] { TestServer.CompleteApplication.class, Payments.class, Plain.class, Views.class },
				"lock.store=jdbc", "lock.jdbc.initialize-schema=always",
				"spring.datasource.url=jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()),
				"spring.main.web-application-type=servlet");
		JdbcClient.create(server.context().getBean(DataSource.class))
			.sql("create table payments (id varchar(64))")
			.update();
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@BeforeEach
	void newKey() {
		this.key = UUID.randomUUID().toString();
		Payments.written.set(0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/json", "/entity", "/nothing", "/page", "/by-hand" })
	@DisplayName("A duplicate gets the response that was sent, which was written once")
	void sent(String path) throws Exception {
		HttpResponse<String> first = post(path, false);
		assertThat(first.statusCode()).isBetween(200, 299);
		HttpResponse<String> again = post(path, false);
		assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
		assertThat(again.statusCode()).isEqualTo(first.statusCode());
		assertThat(again.body()).isEqualTo(first.body());
		assertThat(again.headers().allValues("Content-Type")).isEqualTo(first.headers().allValues("Content-Type"));
		assertThat(again.headers().allValues("ETag")).isEqualTo(first.headers().allValues("ETag"));
		assertThat(first.headers().firstValue("X-Other").isPresent()).isEqualTo(path.equals("/entity"));
		assertThat(Payments.written.get()).isLessThanOrEqualTo(1);
		assertThat(payments()).isOne();
	}

	@ParameterizedTest
	@CsvSource({ "/json, 200", "/entity, 201", "/nothing, 204", "/page, 409", "/by-hand, 409" })
	@DisplayName("If the request breaks off after the commit, its duplicate gets the response; if that is made later, it is rejected")
	void brokenOff(String path, int status) throws Exception {
		assertThat(post(path, true).statusCode()).isEqualTo(500);
		for (int i = 0; i < 2; i++) {
			HttpResponse<String> again = post(path, true);
			assertThat(again.statusCode()).isEqualTo(status);
			assertThat(again.headers().firstValue("Idempotent-Replayed").isPresent()).isEqualTo(status < 300);
			if (status == 409) {
				assertThat(again.body()).contains("/problems/result-unavailable\"");
			}
		}
		assertThat(payments()).isOne();
	}

	@Test
	@DisplayName("A value that cannot be written rolls the transaction back")
	void notWritable() throws Exception {
		assertThat(post("/not-writable", false).statusCode()).isEqualTo(500);
		assertThat(payments()).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "/record, 200", "/json, 409" })
	@DisplayName("If the client does not accept the response, it gets that of Spring MVC, the payment is committed, and is never made again")
	void notAcceptable(String path, int status) throws Exception {
		HttpResponse<String> plain = server.post("/plain", "Accept", "image/png");
		HttpResponse<String> first = server.post(path + "?id=" + this.key + "&breaksOff=false", "Idempotency-Key",
				this.key, "Accept", "image/png");
		assertThat(first.statusCode()).isEqualTo(plain.statusCode()).isEqualTo(406);
		assertThat(first.body()).isEqualTo(plain.body());
		assertThat(first.headers().firstValue("Content-Type")).isEqualTo(plain.headers().firstValue("Content-Type"));
		assertThat(payments()).isOne();
		HttpResponse<String> again = post(path, false);
		assertThat(again.statusCode()).isEqualTo(status);
		assertThat(again.body()).contains((status == 200) ? "{\"amount\":10}" : "/problems/result-unavailable\"");
		assertThat(payments()).isOne();
	}

	@Test
	@DisplayName("The response of a transaction that was rolled back is not sent")
	void rolledBack() throws Exception {
		HttpResponse<String> first = post("/rolled-back", false);
		assertThat(first.statusCode()).isEqualTo(500);
		assertThat(first.headers().map()).doesNotContainKeys("etag", "x-other");
		assertThat(payments()).isZero();
	}

	private HttpResponse<String> post(String path, boolean breaksOff) throws Exception {
		return server.post(path + "?id=" + this.key + "&breaksOff=" + breaksOff, "Idempotency-Key", this.key);
	}

	private int payments() {
		return JdbcClient.create(server.context().getBean(DataSource.class))
			.sql("select count(*) from payments where id = ?")
			.param(this.key)
			.query(Integer.class)
			.single();
	}

	@Controller
	@Transactional
	@ExclusiveRequest(name = "payments", key = "header('Idempotency-Key')", replay = "1h")
	static class Payments {

		static final AtomicInteger written = new AtomicInteger();

		private final JdbcClient jdbc;

		Payments(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		private void pay(String id, boolean breaksOff) {
			this.jdbc.sql("insert into payments values (?)").param(id).update();
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					if (breaksOff) {
						throw new IllegalStateException("as asked");
					}
				}

			});
		}

		@PostMapping("/json")
		@ResponseBody
		public Receipt json(@RequestParam String id, @RequestParam boolean breaksOff) {
			pay(id, breaksOff);
			return new Receipt();
		}

		@PostMapping("/record")
		@ResponseBody
		public Amount record(@RequestParam String id, @RequestParam boolean breaksOff) {
			pay(id, breaksOff);
			return new Amount(10);
		}

		@PostMapping("/entity")
		public ResponseEntity<?> entity(@RequestParam String id, @RequestParam boolean breaksOff) {
			pay(id, breaksOff);
			return ResponseEntity.status(201).eTag("\"1\"").header("X-Other", "1").body(new Receipt());
		}

		@PostMapping("/nothing")
		public ResponseEntity<Void> nothing(@RequestParam String id, @RequestParam boolean breaksOff) {
			pay(id, breaksOff);
			return ResponseEntity.noContent().build();
		}

		@PostMapping("/page")
		public String page(@RequestParam String id, @RequestParam boolean breaksOff) {
			pay(id, breaksOff);
			return "receipt";
		}

		@PostMapping("/by-hand")
		public void byHand(@RequestParam String id, @RequestParam boolean breaksOff, HttpServletResponse response)
				throws Exception {
			pay(id, breaksOff);
			response.setContentType(MediaType.TEXT_PLAIN_VALUE);
			response.getWriter().print(new Receipt().getTime());
		}

		@PostMapping("/not-writable")
		@ResponseBody
		public Object notWritable(@RequestParam String id, @RequestParam boolean breaksOff) {
			pay(id, breaksOff);
			return new Object() {

				@JsonProperty
				String broken() {
					throw new IllegalStateException("as asked");
				}

			};
		}

		@PostMapping("/rolled-back")
		public ResponseEntity<?> rolledBack(@RequestParam String id, @RequestParam boolean breaksOff) {
			pay(id, breaksOff);
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					throw new IllegalStateException("as asked");
				}

			});
			return ResponseEntity.status(201).eTag("\"1\"").header("X-Other", "1").body(new Receipt());
		}

	}

	@Controller
	static class Plain {

		@PostMapping("/plain")
		@ResponseBody
		Amount plain() {
			return new Amount(10);
		}

	}

	record Amount(int amount) {
	}

	/** Differs each time that it is written. */
	static class Receipt {

		public long getTime() {
			Payments.written.incrementAndGet();
			return System.nanoTime();
		}

	}

	static class Views implements ViewResolver, Ordered {

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

		@Override
		public View resolveViewName(String name, Locale locale) {
			return name.equals("receipt") ? (model, request, response) -> {
				response.setContentType(MediaType.TEXT_HTML_VALUE);
				response.getWriter().print("<p>" + new Receipt().getTime());
			} : null;
		}

	}

}
