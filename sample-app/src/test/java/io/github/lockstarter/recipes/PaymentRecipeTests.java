package io.github.lockstarter.recipes;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.UUID;

import org.awaitility.Awaitility;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.github.lockstarter.Lease;
import io.github.lockstarter.testing.TestJvm;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("once")
class PaymentRecipeTests {

	private static final String RECIPE = "A payment that must be made once";

	private static final String ORDER = "{\"account\":\"DE-1\",\"amount\":12.50}";

	/** As a database server of its own, it outlives the application. */
	private Server database;

	private String url;

	private RecipeServer server;

	@BeforeEach
	void start() throws Exception {
		this.database = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
		this.url = "jdbc:h2:tcp://127.0.0.1:%d/mem:%s;DB_CLOSE_DELAY=-1".formatted(this.database.getPort(),
				UUID.randomUUID());
		this.server = startInstance(PaymentController.class, this.url);
	}

	@AfterEach
	void stop() {
		this.server.close();
		this.database.stop();
	}

	static RecipeServer startInstance(Class<?> bean, String url) {
		return RecipeServer.start(RECIPE, bean, "spring.datasource.url=" + url, "spring.datasource.username=sa",
				"lock.jdbc.command-timeout=30s", "spring.sql.init.mode=always",
				"spring.sql.init.schema-locations=classpath:payment.sql");
	}

	@Test
	@DisplayName("A repeated request gets the first payment, and pays nothing")
	void repeated() {
		HttpResponse<String> first = pay(ORDER, "\"one\"");
		HttpResponse<String> second = pay(ORDER, "\"one\"");
		assertThat(first.statusCode()).isEqualTo(201);
		assertThat(second.statusCode()).isEqualTo(201);
		assertThat(second.body()).isEqualTo(first.body()).contains("12.5");
		assertThat(Responses.isReplayed(first)).isFalse();
		assertThat(Responses.isReplayed(second)).isTrue();
		assertThat(payments()).isEqualTo(1);
	}

	@Test
	@DisplayName("Another payment with the key of the first is rejected with 422, and one without a key with 400")
	void wrongKey() {
		pay(ORDER, "\"two\"");
		Responses.assertProblem(pay("{\"account\":\"DE-1\",\"amount\":99}", "\"two\""), 422, "payload-mismatch");
		Responses.assertProblem(this.server.postJson("/payments", ORDER).join(), 400, "key-missing");
		assertThat(payments()).isEqualTo(1);
	}

	@Test
	@DisplayName("While the first request runs, its repetition is rejected with 409 and Retry-After")
	void meanwhile() {
		try (Lease first = this.server.locks().acquire("payments:three")) {
			Responses.assertRejected(pay(ORDER, "\"three\""));
			assertThat(first.isHeld()).isTrue();
		}
		assertThat(pay(ORDER, "\"three\"").statusCode()).isEqualTo(201);
	}

	@Test
	@DisplayName("A payment that fails leaves neither a row nor a response, so that its repetition runs")
	void failed() {
		String tooLarge = "{\"account\":\"DE-1\",\"amount\":12345678901}";
		assertThat(pay(tooLarge, "\"four\"").statusCode()).isEqualTo(500);
		assertThat(payments()).isZero();
		this.server.bean(JdbcClient.class).sql("alter table payment alter column amount decimal(13, 2)").update();
		assertThat(pay(tooLarge, "\"four\"").statusCode()).isEqualTo(201);
		assertThat(payments()).isEqualTo(1);
	}

	@Test
	@DisplayName("When its instance is killed right after the commit, the repetition at another instance gets the first payment")
	void killed() {
		try (TestJvm killed = TestJvm.start(KilledPayment.class, this.url)) {
			int port = Integer.parseInt(killed.await("port "));
			assertThat(RecipeServer.postJson(port, "/payments", ORDER, "Idempotency-Key", "\"five\""))
				.failsWithin(Duration.ofMinutes(1));
			killed.awaitEnd();
		}
		assertThat(payments()).isEqualTo(1);
		Awaitility.await().untilAsserted(() -> {
			HttpResponse<String> repeated = pay(ORDER, "\"five\"");
			assertThat(repeated.statusCode()).isEqualTo(201);
			assertThat(Responses.isReplayed(repeated)).isTrue();
			String id = this.server.bean(JdbcClient.class).sql("select id from payment").query(String.class).single();
			assertThat(repeated.body()).contains(id);
		});
		assertThat(payments()).isEqualTo(1);
	}

	private HttpResponse<String> pay(String order, String key) {
		return this.server.postJson("/payments", order, "Idempotency-Key", key).join();
	}

	private int payments() {
		return this.server.bean(JdbcClient.class).sql("select count(*) from payment").query(Integer.class).single();
	}

}
