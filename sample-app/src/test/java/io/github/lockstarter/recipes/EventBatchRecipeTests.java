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
import io.github.lockstarter.LockCounts;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("once")
class EventBatchRecipeTests {

	private final List<String> booked = new CopyOnWriteArrayList<>();

	private volatile String failing = "";

	private RecipeServer server;

	@BeforeEach
	void start() {
		this.server = RecipeServer.start("Events that are delivered in batches", EventBatchController.class,
				Ledger.class, (event) -> {
					if (event.id().equals(this.failing)) {
						throw new IllegalStateException("failed on purpose");
					}
					this.booked.add(event.id());
					return new EventBatchController.Receipt("R-" + this.booked.size());
				}, "lock.store=memory");
	}

	@AfterEach
	void stop() {
		this.server.close();
	}

	@Test
	@DisplayName("Each event is booked once, in whatever batch it is delivered again")
	void once() {
		assertThat(deliver(event("1", 10), event("2", 20)).body())
			.isEqualTo("[{\"number\":\"R-1\"},{\"number\":\"R-2\"}]");
		HttpResponse<String> again = deliver(event("2", 20), event("3", 30));
		assertThat(again.statusCode()).isEqualTo(200);
		assertThat(again.body()).isEqualTo("[{\"number\":\"R-2\"},{\"number\":\"R-3\"}]");
		assertThat(this.booked).containsExactly("1", "2", "3");
		assertThat(this.server.count("payment-events", LockCounts.Event.REPLAYED)).isOne();
	}

	@Test
	@DisplayName("After a failure, only the events that were not booked are booked by the next delivery")
	void failed() {
		this.failing = "5";
		assertThat(deliver(event("4", 40), event("5", 50)).statusCode()).isEqualTo(500);
		this.failing = "";
		assertThat(deliver(event("4", 40), event("5", 50)).statusCode()).isEqualTo(200);
		assertThat(this.booked).containsExactly("4", "5");
	}

	@Test
	@DisplayName("An event that is being booked rejects its batch with 409 and Retry-After")
	void meanwhile() {
		try (Lease other = this.server.locks().acquire("payment-events:6")) {
			Responses.assertRejected(deliver(event("6", 60)));
			assertThat(other.isHeld()).isTrue();
		}
		assertThat(this.booked).isEmpty();
	}

	@Test
	@DisplayName("A known identifier with another amount is rejected with 422")
	void changed() {
		assertThat(deliver(event("7", 70)).statusCode()).isEqualTo(200);
		Responses.assertProblem(deliver(event("7", 77)), 422, "payload-mismatch");
	}

	private static String event(String id, int amount) {
		return "{\"id\":\"%s\",\"account\":\"a\",\"amount\":%d}".formatted(id, amount);
	}

	private HttpResponse<String> deliver(String... events) {
		return this.server.postJson("/webhooks/payments", "[" + String.join(",", events) + "]").join();
	}

}
