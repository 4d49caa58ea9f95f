package io.github.lockstarter.autoconfigure;

import java.net.URI;
import java.util.List;
import java.util.function.Function;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

/**
 * Handlers with shared results, for both web stacks.
 */
@RestController
@RequestMapping("/both")
@ExclusiveRequest(name = "shared", key = "#key", waitTime = "30s", onConflict = OnConflict.SHARE)
class SharingHandlers {

	private final Runs runs;

	SharingHandlers(Runs runs) {
		this.runs = runs;
	}

	@PostMapping("/entity")
	ResponseEntity<String> entityOfText(@RequestParam String key) {
		return entity(this.runs.next(key).run());
	}

	@PostMapping("/mono-entity")
	Mono<ResponseEntity<String>> monoEntity(@RequestParam String key) {
		return work(key, SharingHandlers::entity);
	}

	@PostMapping("/mono-entity-record")
	Mono<ResponseEntity<Receipt>> monoEntityOfRecord(@RequestParam String key) {
		return work(key, (value) -> ResponseEntity.accepted().body(new Receipt(value, List.of(1, 2))));
	}

	@PostMapping("/mono-entity-void")
	Mono<ResponseEntity<Void>> monoEntityOfNothing(@RequestParam String key) {
		return work(key, (value) -> ResponseEntity.noContent().build());
	}

	@PostMapping("/mono")
	Mono<String> mono(@RequestParam String key) {
		return work(key, (value) -> value);
	}

	@PostMapping("/mono-record")
	Mono<Receipt> monoOfRecord(@RequestParam String key) {
		return work(key, (value) -> new Receipt(value, List.of(1, 2)));
	}

	@PostMapping("/mono-list")
	Mono<List<Receipt>> monoOfList(@RequestParam String key) {
		return work(key, (value) -> List.of(new Receipt(value, List.of()), new Receipt("other", List.of(3))));
	}

	@PostMapping("/mono-bytes")
	Mono<byte[]> monoOfBytes(@RequestParam String key) {
		return work(key, String::getBytes);
	}

	@PostMapping("/mono-empty")
	Mono<String> monoOfNone(@RequestParam String key) {
		return mono(key).filter(String::isEmpty);
	}

	@PostMapping("/mono-void")
	Mono<Void> monoOfNothing(@RequestParam String key) {
		return mono(key).then();
	}

	@PostMapping("/flux")
	Flux<Receipt> flux(@RequestParam String key) {
		return Flux.concat(Mono.just(new Receipt("first", List.of())), monoOfRecord(key));
	}

	@PostMapping("/flux-empty")
	Flux<Receipt> fluxOfNone(@RequestParam String key) {
		return flux(key).filter((each) -> each.numbers() == null);
	}

	@PostMapping("/not-found-first")
	Mono<ResponseEntity<String>> notFoundFirst(@RequestParam String key) {
		return work(key,
				(value) -> ResponseEntity.status(value.endsWith(" 1") ? HttpStatus.NOT_FOUND : HttpStatus.CREATED)
					.body(value));
	}

	@PostMapping("/counted")
	@ExclusiveRequest(name = "counted", key = "#key", waitTime = "30s", onConflict = OnConflict.SHARE)
	Mono<String> counted(@RequestParam String key) {
		return mono(key);
	}

	@PostMapping("/hasty")
	@ExclusiveRequest(name = "shared", key = "#key", waitTime = "100ms", onConflict = OnConflict.SHARE)
	Mono<String> hasty(@RequestParam String key) {
		return mono(key);
	}

	private <T> Mono<T> work(String key, Function<String, T> result) {
		return Mono.defer(() -> {
			Runs.Run run = this.runs.next(key);
			return Mono.fromFuture(run.job().begin(), true).map((done) -> result.apply(done + " " + run.number()));
		});
	}

	/** An entity with headers, some of which are not shared. */
	static ResponseEntity<String> entity(String value) {
		return ResponseEntity.created(URI.create("/orders/1"))
			.eTag("\"v1\"")
			.header(HttpHeaders.LINK, "</a>; rel=a")
			.header(HttpHeaders.CONTENT_TYPE, "text/plain;charset=UTF-8")
			.header(HttpHeaders.SET_COOKIE, "session=secret")
			.header("X-Other", "other")
			.body(value);
	}

	record Receipt(String text, List<Integer> numbers) {
	}

}
