package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.security.Principal;
import java.util.List;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.autoconfigure.SharingHandlers.Receipt;

/**
 * Handlers with replayed results, for both web stacks.
 */
@RestController
class ReplayHandlers {

	static final String KEY = "Idempotency-Key";

	private final Runs runs;

	ReplayHandlers(Runs runs) {
		this.runs = runs;
	}

	@PostMapping("/orders")
	@ExclusiveRequest(name = "orders", key = "header('Idempotency-Key')", replay = "24h")
	Mono<ResponseEntity<String>> order(@RequestParam String run) {
		return text(run).map(SharingHandlers::entity);
	}

	@PostMapping("/immediate")
	@ExclusiveRequest(name = "orders", key = "header('Idempotency-Key')", replay = "24h")
	ResponseEntity<Receipt> immediate(@RequestParam String run) {
		return ResponseEntity.ok(new Receipt(this.runs.next(run).run(), List.of(1)));
	}

	@PostMapping("/all")
	@ExclusiveRequest(name = "orders", key = "header('Idempotency-Key')", replay = "24h")
	Flux<Receipt> all(@RequestParam String run) {
		return text(run).flatMapMany((text) -> Flux.just(new Receipt(text, List.of()), new Receipt("b", List.of(1))));
	}

	@PostMapping("/nothing")
	@ExclusiveRequest(name = "orders", key = "header('Idempotency-Key')", replay = "24h")
	Mono<Void> nothing(@RequestParam String run) {
		return text(run).then();
	}

	@PostMapping("/waiting")
	@ExclusiveRequest(name = "waiting", key = "header('Idempotency-Key')", replay = "24h", waitTime = "30s")
	Mono<String> waiting(@RequestParam String run, @RequestParam(defaultValue = "") String text) {
		return text(run);
	}

	@PostMapping("/gone-first")
	@ExclusiveRequest(name = "gone", key = "header('Idempotency-Key')", replay = "24h")
	Mono<ResponseEntity<String>> goneFirst(@RequestParam String run) {
		return text(run)
			.map((text) -> ResponseEntity.status(text.endsWith(" 1") ? HttpStatus.GONE : HttpStatus.OK).body(text));
	}

	@PostMapping("/large")
	@ExclusiveRequest(name = "large", key = "header('Idempotency-Key')", replay = "24h")
	Mono<String> large(@RequestParam String run) {
		return text(run).map((text) -> text + "x".repeat(1000));
	}

	@PostMapping("/large-flux")
	@ExclusiveRequest(name = "large", key = "header('Idempotency-Key')", replay = "24h")
	Flux<Receipt> largeFlux(@RequestParam String run) {
		return text(run).flatMapMany((text) -> Flux.range(0, 100).map((i) -> new Receipt(text, List.of(i))));
	}

	@PostMapping("/not-readable")
	@ExclusiveRequest(name = "not-readable", key = "header('Idempotency-Key')", replay = "24h")
	Mono<Fragile> notReadable(@RequestParam String run) {
		return text(run).map(FragileToo::new);
	}

	private Mono<String> text(String run) {
		return Mono.defer(() -> {
			Runs.Run next = this.runs.next(run);
			return Mono.fromFuture(next.job().begin(), true).map((done) -> done + " " + next.number());
		});
	}

	static class Fragile {

		public String text;

	}

	/** A value that cannot be read as its declared type. */
	static class FragileToo extends Fragile {

		public String more = "than others would read";

		FragileToo(String text) {
			this.text = text;
		}

	}

	/** Reads the name of the principal from a header. */
	static class ServletPrincipals implements Filter {

		@Override
		public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			String user = ((HttpServletRequest) request).getHeader("X-User");
			chain.doFilter(new HttpServletRequestWrapper((HttpServletRequest) request) {

				@Override
				public Principal getUserPrincipal() {
					return (user != null) ? () -> user : null;
				}

			}, response);
		}

	}

	/** Reads the name of the principal from a header. */
	static class ReactivePrincipals implements WebFilter {

		@Override
		public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
			String user = exchange.getRequest().getHeaders().getFirst("X-User");
			return chain.filter((user != null) ? exchange.mutate().principal(Mono.just(() -> user)).build() : exchange);
		}

	}

}
