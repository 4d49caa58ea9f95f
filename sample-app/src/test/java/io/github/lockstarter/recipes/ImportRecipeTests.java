package io.github.lockstarter.recipes;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.LockCounts.Event;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("once")
class ImportRecipeTests {

	private final Suppliers suppliers = new Suppliers();

	private RecipeServer server;

	private void start(String... properties) {
		this.server = RecipeServer.start("One import for each tenant", ImportController.class, Catalog.class,
				this.suppliers, properties);
	}

	@AfterEach
	void stop() {
		this.suppliers.feeds.values().forEach(Suppliers.Offers::cancel);
		this.server.close();
	}

	@Test
	@DisplayName("Each tenant has one import at a time: a second one is rejected, and that of another tenant runs")
	void oneForEachTenant() {
		start("lock.store=memory");
		CompletableFuture<HttpResponse<String>> acme = importTo("acme");
		awaitOpen("acme");
		Responses.assertRejected(importTo("acme").join());
		this.suppliers.get("globex").offer("pen").offerEnd();
		assertThat(importTo("globex").join().body()).contains("\"products\":1");
		this.suppliers.get("acme").offer("ink").offer("nib").offerEnd();
		assertThat(acme.join().body()).contains("\"products\":2");
		assertThat(this.suppliers.saved).containsExactlyInAnyOrder("pen", "ink", "nib");
	}

	@Test
	@DisplayName("An import that takes longer than its ttl keeps its lock by renewal")
	void renewed() {
		start("lock.store=memory", "lock.names.import.ttl=3s");
		CompletableFuture<HttpResponse<String>> acme = importTo("acme");
		Awaitility.await().until(() -> this.server.count("import", Event.RENEWED) > 3);
		Responses.assertRejected(importTo("acme").join());
		this.suppliers.get("acme").offerEnd();
		assertThat(acme.join().statusCode()).isEqualTo(200);
	}

	@Test
	@DisplayName("An import that is held for longer than max-hold is cancelled, gets 409, and saves nothing more")
	void cancelled() {
		start("lock.store=memory", "lock.names.import.ttl=5s", "lock.names.import.max-hold=5s");
		CompletableFuture<HttpResponse<String>> acme = importTo("acme");
		this.suppliers.get("acme").offer("ink");
		Responses.assertProblem(acme.join(), 409, "lease-lost");
		assertThat(this.suppliers.get("acme").cancelled).isTrue();
		assertThat(this.suppliers.saved).containsExactly("ink");
		this.suppliers.feeds.clear();
		this.suppliers.get("acme").offer("nib").offerEnd();
		assertThat(importTo("acme").join().body()).contains("\"products\":1");
	}

	private CompletableFuture<HttpResponse<String>> importTo(String tenant) {
		return this.server.postAsync("/tenants/" + tenant + "/imports");
	}

	private void awaitOpen(String tenant) {
		Awaitility.await().until(() -> this.suppliers.get(tenant).open);
	}

	/** Offers what the test says, when it says so. */
	private static final class Suppliers implements Catalog {

		private final Map<String, Offers> feeds = new ConcurrentHashMap<>();

		private final List<String> saved = new CopyOnWriteArrayList<>();

		@Override
		public Feed open(String tenant) {
			Offers offers = get(tenant);
			offers.open = true;
			return offers;
		}

		@Override
		public void save(String tenant, String product) {
			this.saved.add(product);
		}

		Offers get(String tenant) {
			return this.feeds.computeIfAbsent(tenant, (each) -> new Offers());
		}

		private static final class Offers implements Feed {

			private static final String END = "";

			private final BlockingQueue<String> products = new LinkedBlockingQueue<>();

			private String next = END;

			private volatile boolean open;

			private volatile boolean cancelled;

			Offers offer(String product) {
				this.products.add(product);
				return this;
			}

			void offerEnd() {
				offer(END);
			}

			@Override
			public boolean hasNext() {
				try {
					this.next = this.products.take();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
				return !this.next.equals(END);
			}

			@Override
			public String next() {
				return this.next;
			}

			@Override
			public void cancel() {
				this.cancelled = true;
				offerEnd();
			}

			@Override
			public void close() {
				this.open = false;
			}

		}

	}

}
