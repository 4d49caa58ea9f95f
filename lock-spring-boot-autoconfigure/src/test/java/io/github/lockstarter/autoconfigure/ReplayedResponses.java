package io.github.lockstarter.autoconfigure;

import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.servlet.http.HttpServletResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;
import org.springframework.web.servlet.view.RedirectView;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.result.ResultPredicate;

/**
 * Handlers with many kinds of responses. Each counts its runs, and each run responds
 * differently.
 */
final class ReplayedResponses {

	private ReplayedResponses() {
	}

	/** In both web stacks. */
	@RestController
	@ExclusiveRequest(name = "responses", key = "header('Idempotency-Key')", replay = "1h", keep = "all")
	static class Failing {

		private final Runs runs;

		Failing(Runs runs) {
			this.runs = runs;
		}

		private String next(String run) {
			return "run " + this.runs.next(run).number();
		}

		@PostMapping("/handled")
		Mono<String> handled(@RequestParam String run) {
			return Mono.error(() -> new Declined(next(run)));
		}

		@PostMapping("/handled-at-once")
		ResponseEntity<String> handledAtOnce(@RequestParam String run) {
			throw new Declined(next(run));
		}

		@PostMapping("/handled-flux")
		Flux<String> handledFlux(@RequestParam String run) {
			return Flux.error(() -> new Declined(next(run)));
		}

		@PostMapping("/handled-here")
		ResponseEntity<String> handledHere(@RequestParam String run) {
			throw new Expected(next(run));
		}

		@PostMapping("/handled-without-body")
		ResponseEntity<String> handledWithoutBody(@RequestParam String run) {
			next(run);
			throw new IllegalCallerException();
		}

		@PostMapping("/redirected")
		ResponseEntity<String> redirected(@RequestParam String run) {
			throw new Moved(next(run));
		}

		@PostMapping("/unavailable")
		Mono<String> unavailable(@RequestParam String run) {
			return Mono.error(() -> new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, "down, " + next(run)));
		}

		@PostMapping("/annotated")
		ResponseEntity<String> annotated(@RequestParam String run) {
			next(run);
			throw new Teapot();
		}

		@PostMapping("/unhandled")
		ResponseEntity<String> unhandled(@RequestParam String run) {
			throw new UnsupportedOperationException(next(run));
		}

		@PostMapping("/returned-problem")
		Mono<ProblemDetail> returnedProblem(@RequestParam String run) {
			return Mono.fromSupplier(() -> {
				ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.PAYMENT_REQUIRED, next(run));
				problem.setProperty("balance", 30);
				return problem;
			});
		}

		@PostMapping("/returned-error")
		ResponseEntity<String> returnedError(@RequestParam String run) {
			return ResponseEntity.status(HttpStatus.BAD_GATEWAY).eTag("\"1\"").body(next(run));
		}

		@PostMapping("/of-lock")
		ResponseEntity<String> ofLock(@RequestParam String run) {
			next(run);
			throw new LockConflictException(new LockKey("another", "key"), LockOptions.of(Duration.ofSeconds(1)),
					Duration.ofSeconds(1));
		}

		@PostMapping("/exempt")
		ResponseEntity<String> exempt(@RequestParam String run) {
			throw new Exempt(next(run));
		}

		@ExceptionHandler
		ResponseEntity<byte[]> handle(Expected exception) {
			return ResponseEntity.status(HttpStatus.GONE)
				.contentType(MediaType.IMAGE_PNG)
				.header("Set-Cookie", "a=b")
				.header("X-Other", "1")
				.body(new byte[] { 0, -1, 10, (byte) exception.getMessage().charAt(4) });
		}

	}

	/** In both web stacks. */
	@RestController
	static class Chosen {

		private final Runs runs;

		Chosen(Runs runs) {
			this.runs = runs;
		}

		@PostMapping("/chosen")
		@ExclusiveRequest(name = "chosen", key = "header('Idempotency-Key')", replay = "1h", keep = "2xx, 402")
		Mono<ResponseEntity<String>> chosen(@RequestParam String run, @RequestParam String how) {
			return Mono.defer(() -> {
				String text = "run " + this.runs.next(run).number();
				return switch (how) {
					case "value" -> Mono.just(ResponseEntity.accepted().body(text));
					case "conflict" -> Mono.just(ResponseEntity.status(HttpStatus.CONFLICT).body(text));
					case "declined" -> Mono.error(new Declined(text));
					default -> Mono.error(new IllegalStateException(text));
				};
			});
		}

		@PostMapping("/see-other")
		@ExclusiveRequest(name = "chosen", key = "header('Idempotency-Key')", replay = "1h")
		Mono<ResponseEntity<Void>> seeOther(@RequestParam String run) {
			return Mono.fromSupplier(() -> ResponseEntity.status(HttpStatus.SEE_OTHER)
				.location(URI.create("/orders/" + this.runs.next(run).number()))
				.build());
		}

		@PostMapping("/accepted")
		@ResponseStatus(HttpStatus.ACCEPTED)
		@ExclusiveRequest(name = "chosen", key = "header('Idempotency-Key')", replay = "1h")
		Mono<String> accepted(@RequestParam String run) {
			return Mono.fromSupplier(() -> "run " + this.runs.next(run).number());
		}

		@PostMapping({ "/path-a", "/path-b" })
		@ExclusiveRequest(name = "chosen", key = "header('Idempotency-Key')", replay = "1h")
		Mono<String> path(@RequestParam String run) {
			return accepted(run);
		}

		@PostMapping("/default")
		@ExclusiveRequest(name = "chosen", key = "header('Idempotency-Key')", replay = "1h")
		Mono<String> byDefault(@RequestParam String run) {
			return Mono.error(() -> new Declined("run " + this.runs.next(run).number()));
		}

	}

	@RestController
	static class Servlet {

		private final Runs runs;

		Servlet(Runs runs) {
			this.runs = runs;
		}

		@PostMapping("/status-set")
		@ExclusiveRequest(name = "set", key = "header('Idempotency-Key')", replay = "1h")
		String statusSet(@RequestParam String run, HttpServletResponse response) {
			int number = this.runs.next(run).number();
			response.setStatus(HttpServletResponse.SC_CREATED);
			response.setHeader("Location", "/orders/" + number);
			response.addHeader("Link", "</a>; rel=next");
			response.addHeader("Link", "</b>; rel=last");
			response.addHeader("Set-Cookie", "a=b");
			return "run " + number;
		}

		@PostMapping("/status-set-later")
		@ExclusiveRequest(name = "set", key = "header('Idempotency-Key')", replay = "1h")
		CompletableFuture<String> statusSetLater(@RequestParam String run, HttpServletResponse response) {
			int number = this.runs.next(run).number();
			response.setStatus(HttpServletResponse.SC_CREATED);
			return CompletableFuture.supplyAsync(() -> "run " + number);
		}

		@PostMapping("/failing-later")
		@ExclusiveRequest(name = "set", key = "header('Idempotency-Key')", replay = "1h", keep = "all")
		CompletableFuture<String> failingLater(@RequestParam String run) {
			int number = this.runs.next(run).number();
			return CompletableFuture.supplyAsync(() -> {
				throw new Declined("run " + number);
			});
		}

		@PostMapping("/written")
		@ExclusiveRequest(name = "written", key = "header('Idempotency-Key')", replay = "1h")
		String written(@RequestParam String run, HttpServletResponse response) throws Exception {
			response.getOutputStream().print("run " + this.runs.next(run).number());
			response.flushBuffer();
			return null;
		}

	}

	@Controller
	static class Forms {

		private final Runs runs;

		Forms(Runs runs) {
			this.runs = runs;
		}

		@PostMapping("/form")
		@ExclusiveRequest(name = "forms", key = "header('Idempotency-Key')", replay = "1h")
		String form(@RequestParam String run, RedirectAttributes attributes) {
			attributes.addAttribute("number", this.runs.next(run).number());
			attributes.addFlashAttribute("message", "done");
			return "redirect:/orders";
		}

		@PostMapping("/redirect-view")
		@ExclusiveRequest(name = "forms", key = "header('Idempotency-Key')", replay = "1h")
		RedirectView redirectView(@RequestParam String run) {
			RedirectView view = new RedirectView("/orders/" + this.runs.next(run).number());
			view.setStatusCode(HttpStatus.SEE_OTHER);
			return view;
		}

		@PostMapping("/page")
		@ExclusiveRequest(name = "pages", key = "header('Idempotency-Key')", replay = "1h")
		String page(@RequestParam String run) {
			this.runs.next(run);
			return "forward:/page-content";
		}

		@PostMapping("/page-content")
		ResponseEntity<String> content() {
			return ResponseEntity.ok("page");
		}

	}

	@RestController
	static class Reactive {

		private final Runs runs;

		Reactive(Runs runs) {
			this.runs = runs;
		}

		@PostMapping("/status-set")
		@ExclusiveRequest(name = "set", key = "header('Idempotency-Key')", replay = "1h")
		Mono<String> statusSet(@RequestParam String run, ServerWebExchange exchange) {
			return Mono.fromSupplier(() -> {
				int number = this.runs.next(run).number();
				exchange.getResponse().setStatusCode(HttpStatus.CREATED);
				exchange.getResponse().getHeaders().set("Location", "/orders/" + number);
				exchange.getResponse().getHeaders().add("Link", "</a>; rel=next");
				exchange.getResponse().getHeaders().add("Link", "</b>; rel=last");
				exchange.getResponse().getHeaders().add("Set-Cookie", "a=b");
				return "run " + number;
			});
		}

	}

	@RestControllerAdvice
	static class Advice {

		static final AtomicInteger rethrown = new AtomicInteger();

		@ExceptionHandler
		ResponseEntity<String> rethrow(Rethrown exception) {
			rethrown.incrementAndGet();
			throw exception;
		}

		@ExceptionHandler
		ProblemDetail declined(Declined exception, Locale locale) {
			ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.PAYMENT_REQUIRED,
					exception.getMessage());
			problem.setProperty("balance", 30);
			return problem;
		}

		@ExceptionHandler
		@ResponseStatus(HttpStatus.NOT_FOUND)
		void withoutBody(IllegalCallerException exception) {
		}

		@ExceptionHandler
		ResponseEntity<Void> moved(Moved exception) {
			return ResponseEntity.status(HttpStatus.FOUND)
				.location(URI.create("/" + exception.getMessage().replace(' ', '-')))
				.build();
		}

		@ExceptionHandler
		ResponseEntity<String> exempt(Exempt exception) {
			return ResponseEntity.status(HttpStatus.CONFLICT).body(exception.getMessage());
		}

	}

	static class Predicate implements ResultPredicate {

		@Override
		public boolean isShared(String lockName, Object result, org.springframework.http.HttpStatusCode status) {
			return SUCCESSFUL.isShared(lockName, result, status);
		}

		@Override
		public boolean mayKeep(String lockName, Throwable failure) {
			return !(failure instanceof Exempt);
		}

	}

	static class Declined extends RuntimeException {

		Declined(String message) {
			super(message);
		}

	}

	static class Expected extends RuntimeException {

		Expected(String message) {
			super(message);
		}

	}

	static class Moved extends RuntimeException {

		Moved(String message) {
			super(message);
		}

	}

	static class Exempt extends RuntimeException {

		Exempt(String message) {
			super(message);
		}

	}

	@ResponseStatus(HttpStatus.I_AM_A_TEAPOT)
	static class Teapot extends RuntimeException {

	}

	static class Rethrown extends RuntimeException {

		Rethrown(String message) {
			super(message);
		}

	}

}
