package io.github.lockstarter.actuate;

import java.util.concurrent.CountDownLatch;

import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

/**
 * An application with handlers that run until the test ends them.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ WatchedApplication.Orders.class, WatchedApplication.Jobs.class })
class WatchedApplication {

	@RestController
	static class Orders {

		private final CountDownLatch end = new CountDownLatch(1);

		public void finish() {
			this.end.countDown();
		}

		@PostMapping("/orders/{number}")
		@ExclusiveRequest(name = "orders", key = "#number", onConflict = OnConflict.WAIT)
		public String order(@PathVariable String number) throws InterruptedException {
			this.end.await();
			return number;
		}

		@PostMapping("/kept/{number}")
		@ExclusiveRequest(name = "kept", key = "#number", replay = "1h")
		public Mono<String> kept(@PathVariable String number) {
			return Mono.just(number);
		}

		@PostMapping("/reactive/{number}")
		@ExclusiveRequest(name = "orders", key = "#number", onConflict = OnConflict.WAIT)
		public Mono<String> reactive(@PathVariable String number) {
			return Mono.fromCallable(() -> order(number)).subscribeOn(Schedulers.boundedElastic());
		}

	}

	static class Jobs {

		@ExclusiveRequest(name = "nightly", onConflict = OnConflict.SKIP)
		void nightly() {
		}

	}

}
