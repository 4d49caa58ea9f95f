package io.github.lockstarter.recipes;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.Lease;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("once")
class WebhookRecipeTests {

	private final List<String> paid = new CopyOnWriteArrayList<>();

	private volatile boolean failing;

	private RecipeServer server;

	@BeforeEach
	void start() {
		this.server = RecipeServer.start("A webhook that is delivered twice", WebhookController.class, Invoices.class,
				(invoice) -> {
					if (this.failing) {
						throw new IllegalStateException("failed on purpose");
					}
					this.paid.add(invoice);
				}, "lock.store=memory");
	}

	@AfterEach
	void stop() {
		this.server.close();
	}

	@Test
	@DisplayName("An event that is delivered twice is handled once, even if the number of the attempt differs")
	void twice() {
		HttpResponse<String> first = deliver("1", "invoice.paid", "\"attempt\":1");
		HttpResponse<String> second = deliver("1", "invoice.paid", "\"attempt\":2");
		assertThat(first.statusCode()).isEqualTo(204);
		assertThat(second.statusCode()).isEqualTo(204);
		assertThat(Responses.isReplayed(first)).isFalse();
		assertThat(Responses.isReplayed(second)).isTrue();
		assertThat(this.paid).containsExactly("invoice-1");
	}

	@Test
	@DisplayName("An event that could not be handled gets 500, and handled when it is delivered again")
	void failed() {
		this.failing = true;
		assertThat(deliver("2", "invoice.paid").statusCode()).isEqualTo(500);
		this.failing = false;
		assertThat(deliver("2", "invoice.paid").statusCode()).isEqualTo(204);
		assertThat(this.paid).containsExactly("invoice-2");
	}

	@Test
	@DisplayName("The response 422 to an event of an unknown type is kept")
	void unknown() {
		assertThat(deliver("3", "invoice.voided").statusCode()).isEqualTo(422);
		HttpResponse<String> second = deliver("3", "invoice.voided");
		assertThat(second.statusCode()).isEqualTo(422);
		assertThat(Responses.isReplayed(second)).isTrue();
	}

	@Test
	@DisplayName("A delivery while the first one is handled is rejected with 409 and Retry-After")
	void meanwhile() {
		try (Lease first = this.server.locks().acquire("billing-events:4")) {
			Responses.assertRejected(deliver("4", "invoice.paid"));
			assertThat(first.isHeld()).isTrue();
		}
		assertThat(this.paid).isEmpty();
	}

	@Test
	@DisplayName("An event without an identifier is rejected with 400")
	void withoutId() {
		Responses.assertProblem(deliver(" ", "invoice.paid"), 400, "key-missing");
	}

	private HttpResponse<String> deliver(String id, String type, String... more) {
		String event = "{\"id\":\"%s\",\"type\":\"%s\",\"invoice\":\"invoice-%s\"%s}".formatted(id, type, id,
				(more.length > 0) ? "," + more[0] : "");
		return this.server.postJson("/webhooks/billing", event).join();
	}

}
