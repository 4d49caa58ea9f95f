package io.github.lockstarter.compatibility.loaded;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Controller;
import org.springframework.validation.BindingResult;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.view.AbstractView;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.SharedServers;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Entities that Spring MVC loads for handlers, at two instances with one database: with
 * and without a persistence context that lasts as long as the request.
 */
class LoadedEntitiesTests {

	private static final int ROUNDS = 8;

	private static final int REQUESTS = 12;

	private static final LocalRedis redis = LocalRedis.started();

	private static final SharedServers servers = new SharedServers();

	@AfterAll
	static void close() {
		servers.close();
		redis.close();
	}

	@BeforeEach
	void stop() {
		PetForm.loaded = new Semaphore(0);
	}

	@ParameterizedTest
	@CsvSource({ "new, 409, true", "new, 409, false", "new/in-turn, 422, true", "new/in-turn, 422, false" })
	@DisplayName("Of equal posts at once to two instances, one adds a pet, and a later one finds it")
	void onePet(String form, int loser, boolean openInView) throws Exception {
		List<TestServer> both = both(openInView);
		for (int round = 0; round < ROUNDS; round++) {
			Owner owner = owners(both).save(new Owner());
			String path = "/owners/" + owner.getId() + "/pets/" + form + "?name=Rex&id=1";
			List<CompletableFuture<HttpResponse<String>>> responses = post(both, path);
			Awaitility.await().until(() -> arrived(both, responses) == REQUESTS);
			letGoOneByOne(responses);
			assertThat(pets(both).countByOwner(owner)).isEqualTo(1);
			assertThat(statuses(responses)).isEqualTo(Map.of(302, 1L, loser, REQUESTS - 1L));
			PetForm.loaded.release();
			assertThat(both.get(round % 2).post(path).statusCode()).isEqualTo(422);
		}
	}

	/**
	 * Returns how many requests got a response, have stopped, or wait. In this order,
	 * none is counted twice.
	 */
	private static long arrived(List<TestServer> both, List<CompletableFuture<HttpResponse<String>>> responses) {
		return responded(responses) + PetForm.loaded.getQueueLength() + waiters(both, "pet");
	}

	/** Those that have read the same would all add a pet, even if none overlaps. */
	private static void letGoOneByOne(List<CompletableFuture<HttpResponse<String>>> responses) {
		while (responded(responses) < REQUESTS) {
			CompletableFuture<Object> next = CompletableFuture
				.anyOf(responses.stream().filter((response) -> !response.isDone()).toArray(CompletableFuture[]::new));
			PetForm.loaded.release();
			next.join();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@DisplayName("No change of an entity that Spring Data loads for a handler is lost")
	void allVisits(boolean openInView) {
		List<TestServer> both = both(openInView);
		Owner owner = owners(both).save(new Owner());
		LockRegistry locks = both.get(0).context().getBean(LockRegistry.class);
		List<CompletableFuture<HttpResponse<String>>> responses;
		try (Lease held = locks.acquire(new LockKey("visits", owner.getId().toString()),
				LockOptions.of(Duration.ofMinutes(1)))) {
			responses = post(both, "/owners/" + owner.getId() + "/visits");
			Awaitility.await().until(() -> waiters(both, "visits") == REQUESTS);
			assertThat(held.isHeld()).isTrue();
		}
		assertThat(statuses(responses)).isEqualTo(Map.of(200, (long) REQUESTS));
		assertThat(owners(both).findById(owner.getId()).orElseThrow().visits()).isEqualTo(REQUESTS);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	@DisplayName("The start warns of handlers whose key needs an entity, as it is loaded before the lock")
	void warnings(CapturedOutput output) {
		TestServer
			.start(new Class<?>[] { Application.class, PetForm.class, VisitCounter.class, LateForm.class,
					LateVisits.class }, "lock.store=memory", "spring.datasource.generate-unique-name=true")
			.close();
		assertThat(output.getAll().lines().filter((line) -> line.contains("older than its lock")))
			.allSatisfy((line) -> assertThat(line).contains("Owner that is older"))
			.satisfiesExactlyInAnyOrder((line) -> assertThat(line).contains("$LateForm#add"),
					(line) -> assertThat(line).contains("$LateVisits#add"));
	}

	/**
	 * Requests wait on their threads at one instance, and without a thread at the other.
	 */
	private static List<TestServer> both(boolean openInView) {
		return Stream.of("thread", "suspended")
			.map((waiting) -> servers.get(new Class<?>[] { Application.class, PetForm.class, VisitCounter.class },
					"spring.datasource.url=jdbc:h2:mem:loaded", "spring.jpa.hibernate.ddl-auto=update",
					"spring.jpa.open-in-view=" + openInView, "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + redis.port(), "lock.redis.command-timeout=30s",
					"lock.web.waiting=" + waiting))
			.toList();
	}

	/** Sends the same request often, to the instances by turns. */
	private static List<CompletableFuture<HttpResponse<String>>> post(List<TestServer> both, String path) {
		return IntStream.range(0, REQUESTS).mapToObj((i) -> both.get(i % both.size()).postAsync(path)).toList();
	}

	private static long responded(List<CompletableFuture<HttpResponse<String>>> responses) {
		return responses.stream().filter(CompletableFuture::isDone).count();
	}

	private static long waiters(List<TestServer> both, String lock) {
		return both.stream().mapToLong((server) -> server.context().getBean(LockInspector.class).waiters(lock)).sum();
	}

	private static Map<Integer, Long> statuses(List<CompletableFuture<HttpResponse<String>>> responses) {
		return responses.stream()
			.collect(Collectors.groupingBy((response) -> response.join().statusCode(), Collectors.counting()));
	}

	private static OwnerRepository owners(List<TestServer> both) {
		return both.get(0).context().getBean(OwnerRepository.class);
	}

	private static PetRepository pets(List<TestServer> both) {
		return both.get(0).context().getBean(PetRepository.class);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = R2dbcAutoConfiguration.class)
	static class Application {

		/** The form again, with its errors. */
		@Bean
		View form() {
			return new AbstractView() {

				@Override
				protected void renderMergedOutputModel(Map<String, Object> model, HttpServletRequest request,
						HttpServletResponse response) {
					response.setStatus(422);
				}

			};
		}

	}

	@Controller
	static class LateForm {

		@ModelAttribute("owner")
		Owner owner(@PathVariable int ownerId) {
			return new Owner();
		}

		@PostMapping("/owners/{ownerId}/pets/late")
		@ExclusiveRequest(key = "#owner.id")
		public String add(@ModelAttribute("owner") Owner owner, Pet pet, BindingResult errors) {
			return "form";
		}

	}

	@RestController
	static class LateVisits {

		@PostMapping("/owners/{ownerId}/visits/late")
		@ExclusiveRequest(key = "#owner.id")
		public void add(@PathVariable("ownerId") Owner owner) {
		}

	}

}
