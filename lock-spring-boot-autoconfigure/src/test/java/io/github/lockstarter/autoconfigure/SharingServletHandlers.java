package io.github.lockstarter.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.springframework.http.HttpEntity;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.autoconfigure.SharingHandlers.Receipt;

/**
 * Handlers with shared results, for Spring MVC.
 */
@RestController
@RequestMapping("/servlet")
@ExclusiveRequest(name = "shared", key = "#key", waitTime = "30s", onConflict = OnConflict.SHARE)
class SharingServletHandlers {

	private final Runs runs;

	SharingServletHandlers(Runs runs) {
		this.runs = runs;
	}

	@PostMapping("/value")
	String value(@RequestParam String key) {
		return this.runs.next(key).run();
	}

	@PostMapping("/record")
	Receipt record(@RequestParam String key) {
		return new Receipt(value(key), List.of(1, 2));
	}

	@PostMapping("/map")
	Map<String, Receipt> map(@RequestParam String key) {
		return Map.of("a", record(key));
	}

	@PostMapping("/number")
	int number(@RequestParam String key) {
		return value(key).length();
	}

	@PostMapping("/bytes")
	byte[] bytes(@RequestParam String key) {
		return ("dönë " + value(key)).getBytes(StandardCharsets.UTF_8);
	}

	@PostMapping("/optional")
	Optional<Receipt> optional(@RequestParam String key) {
		return Optional.of(record(key));
	}

	@PostMapping("/optional-empty")
	Optional<Receipt> emptyOptional(@RequestParam String key) {
		return Optional.of(record(key)).filter((each) -> each.text().isEmpty());
	}

	@PostMapping("/void")
	void nothing(@RequestParam String key) {
		value(key);
	}

	@PostMapping("/null")
	Receipt none(@RequestParam String key) {
		value(key);
		return null;
	}

	@PostMapping("/status")
	@ResponseStatus(HttpStatus.ACCEPTED)
	String status(@RequestParam String key) {
		return value(key);
	}

	@PostMapping("/plain-entity")
	HttpEntity<String> plainEntity(@RequestParam String key) {
		return new HttpEntity<>(value(key));
	}

	@PostMapping("/future")
	CompletableFuture<String> future(@RequestParam String key) {
		return work(key, (value) -> value);
	}

	@PostMapping("/stage")
	CompletionStage<Receipt> stage(@RequestParam String key) {
		return work(key, (value) -> new Receipt(value, List.of(1)));
	}

	@PostMapping("/future-entity")
	CompletableFuture<ResponseEntity<String>> futureEntity(@RequestParam String key) {
		return work(key, SharingHandlers::entity);
	}

	@PostMapping("/future-null")
	CompletableFuture<String> futureOfNone(@RequestParam String key) {
		return work(key, (value) -> null);
	}

	@PostMapping("/future-void")
	CompletableFuture<Void> futureOfNothing(@RequestParam String key) {
		return work(key, (value) -> null);
	}

	private <T> CompletableFuture<T> work(String key, Function<String, T> result) {
		Runs.Run run = this.runs.next(key);
		return run.job().begin().thenApply((done) -> result.apply(done + " " + run.number()));
	}

}
