package io.github.lockstarter.compatibility.replayed;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.api.DisplayName;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * A retry of a request whose handler gets an entity, which the first request has changed.
 */
class ReplayedEntitiesTests {

	@ParameterizedTest
	@CsvSource({ "/pay, true", "/pay, false", "/pay-by-form, true", "/pay-by-form, false", "/pay-by-key, true",
			"/pay-by-key, false" })
	@DisplayName("The retry gets the same receipt, with a persistence context that lasts as long as the request and without one")
	void sameReceipt(String path, boolean openInView) throws Exception {
		try (TestServer server = TestServer.start(new Class<?>[] { Application.class, Payments.class },
				"lock.store=memory", "spring.main.web-application-type=servlet",
				"spring.datasource.generate-unique-name=true", "spring.jpa.open-in-view=" + openInView)) {
			Invoices invoices = server.context().getBean(Invoices.class);
			Invoice replaced = invoices.save(new Invoice());
			Invoice invoice = new Invoice();
			invoice.replace(replaced);
			long id = invoices.save(invoice).getId();
			String key = UUID.randomUUID().toString();
			HttpResponse<String> first = server.post("/invoices/" + id + path, "Idempotency-Key", key);
			assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
			HttpResponse<String> again = server.post("/invoices/" + id + path, "Idempotency-Key", key);
			assertThat(again.body()).isEqualTo(first.body()).contains("\"first\":true");
			assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
			assertThat(invoices.findById(id)).hasValueSatisfying((paid) -> assertThat(paid.getVersion()).isOne());
			assertThat(server.post("/invoices/" + replaced.getId() + path, "Idempotency-Key", key).statusCode())
				.isEqualTo(422);
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { OfEntity.class, OfRecord.class })
	@DisplayName("A method of another bean that compares an entity prevents startup")
	void comparedEntity(Class<?> bean) {
		assertThatException()
			.isThrownBy(
					() -> TestServer
						.start(new Class<?>[] { Application.class, bean }, "lock.store=memory",
								"spring.main.web-application-type=none", "spring.datasource.generate-unique-name=true")
						.close())
			.withStackTraceContaining(bean.getSimpleName() + ".pay")
			.withStackTraceContaining("a Invoice is an entity");
	}

	static class OfEntity {

		@ExclusiveRequest(name = "payments", key = "#key", replay = "1h")
		public String pay(String key, Invoice invoice) {
			return "paid";
		}

	}

	static class OfRecord {

		@ExclusiveRequest(name = "payments", key = "#key", replay = "1h")
		public String pay(String key, Order order) {
			return "paid";
		}

	}

	record Order(List<Invoice> invoices) {
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = R2dbcAutoConfiguration.class)
	static class Application {

	}

	record Receipt(long id, boolean first) {
	}

	@RestController
	static class Payments {

		private final Invoices invoices;

		Payments(Invoices invoices) {
			this.invoices = invoices;
		}

		private Receipt paid(Invoice invoice) {
			boolean first = invoice.pay();
			this.invoices.save(invoice);
			return new Receipt(invoice.getId(), first);
		}

		@PostMapping("/invoices/{id}/pay")
		@ExclusiveRequest(name = "payments", key = "header('Idempotency-Key')", replay = "1h")
		Receipt pay(@PathVariable("id") Invoice invoice) {
			return paid(invoice);
		}

		@PostMapping("/invoices/{invoice}/pay-by-form")
		@ExclusiveRequest(name = "payments", key = "header('Idempotency-Key')", replay = "1h")
		Receipt payByForm(@ModelAttribute("invoice") Invoice invoice) {
			return paid(invoice);
		}

		@PostMapping("/invoices/{id}/pay-by-key")
		@ExclusiveRequest(name = "payments", key = "{header('Idempotency-Key')}", replay = "1h")
		Receipt payByKey(@PathVariable("id") Invoice invoice) {
			return paid(invoice);
		}

	}

}
