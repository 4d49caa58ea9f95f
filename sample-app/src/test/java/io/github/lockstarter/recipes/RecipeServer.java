package io.github.lockstarter.recipes;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.springframework.boot.SpringApplication;
import org.springframework.context.support.GenericApplicationContext;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.testing.TestServer;

/**
 * An application with one recipe, and the properties that the page sets for it.
 */
final class RecipeServer implements AutoCloseable {

	private static final HttpClient client = HttpClient.newHttpClient();

	private final TestServer server;

	private RecipeServer(TestServer server) {
		this.server = server;
	}

	/** Starts it with a class of the recipe, which has no collaborator of the test. */
	static RecipeServer start(String recipe, Class<?> bean, String... properties) {
		return start(recipe, new SpringApplication(TestServer.CompleteApplication.class, bean), properties);
	}

	/** Starts it with a class of the recipe, and a collaborator of that class. */
	static <T> RecipeServer start(String recipe, Class<?> bean, Class<T> type, T collaborator, String... properties) {
		SpringApplication application = new SpringApplication(TestServer.CompleteApplication.class, bean);
		application
			.addInitializers((context) -> ((GenericApplicationContext) context).registerBean(type, () -> collaborator));
		return start(recipe, application, properties);
	}

	private static RecipeServer start(String recipe, SpringApplication application, String... properties) {
		application.setMainApplicationClass(TestServer.CompleteApplication.class);
		// The settings, and the tables, of the sample are not those of the recipe.
		Stream<String> own = Stream.of("spring.config.name=recipe", "spring.sql.init.mode=never");
		Map<String, String> all = new LinkedHashMap<>();
		Stream.of(own, Stream.of(RecipesPage.properties(recipe)), Stream.of(properties))
			.flatMap((each) -> each)
			.forEach((property) -> all.put(property.split("=", 2)[0], property));
		return new RecipeServer(TestServer.start(application, all.values().toArray(String[]::new)));
	}

	<T> T bean(Class<T> type) {
		return this.server.context().getBean(type);
	}

	int port() {
		return this.server.port();
	}

	LockRegistry locks() {
		return bean(LockRegistry.class);
	}

	long count(String lock, LockCounts.Event event) {
		return bean(LockCounts.class).get(lock, event);
	}

	HttpResponse<String> get(String path) throws IOException, InterruptedException {
		return this.server.get(path);
	}

	CompletableFuture<HttpResponse<String>> getAsync(String path) {
		return this.server.getAsync(path);
	}

	CompletableFuture<HttpResponse<String>> postAsync(String path) {
		return this.server.postAsync(path);
	}

	CompletableFuture<HttpResponse<String>> submit(String path, String form) {
		return post(port(), path, "application/x-www-form-urlencoded", form, "Accept", "text/html", "Accept-Language",
				"en");
	}

	CompletableFuture<HttpResponse<String>> postJson(String path, String json, String... headers) {
		return postJson(port(), path, json, headers);
	}

	/** Sends JSON to an instance, which may be another process. */
	static CompletableFuture<HttpResponse<String>> postJson(int port, String path, String json, String... headers) {
		return post(port, path, "application/json", json, headers);
	}

	private static CompletableFuture<HttpResponse<String>> post(int port, String path, String contentType, String body,
			String... headers) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(port, path)))
			.timeout(Duration.ofMinutes(1))
			.header("Content-Type", contentType)
			.POST(HttpRequest.BodyPublishers.ofString(body));
		if (headers.length > 0) {
			request.headers(headers);
		}
		return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
	}

	@Override
	public void close() {
		this.server.close();
	}

}
