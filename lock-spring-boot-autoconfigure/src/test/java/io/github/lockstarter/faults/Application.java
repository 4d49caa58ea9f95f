package io.github.lockstarter.faults;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

import io.github.lockstarter.Lease;
import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * A web application whose handlers run until the test ends them, and that prints its
 * events.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Application {

	/** Arguments: properties. */
	public static void main(String[] args) {
		WebServerApplicationContext context = (WebServerApplicationContext) SpringApplication.run(Application.class,
				args);
		System.out.println("port " + context.getWebServer().getPort());
	}

	@Component
	static class Arrivals extends OncePerRequestFilter {

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			System.out.println("arrived");
			chain.doFilter(request, response);
		}

	}

	/** Ends the work at the latest when the waiters have their responses. */
	@Component
	static class End implements SmartLifecycle {

		private final CountDownLatch near = new CountDownLatch(1);

		private volatile boolean running;

		void await() throws InterruptedException {
			this.near.await();
		}

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.near.countDown();
			this.running = false;
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		/** Returns a phase earlier than that of a web server with graceful shutdown. */
		@Override
		public int getPhase() {
			return WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE + 1;
		}

	}

	@RestController
	static class Controller {

		private final End end;

		Controller(End end) {
			this.end = end;
		}

		@GetMapping("/work")
		@ExclusiveRequest(name = "work", key = "#key", waitTime = "1m")
		public String work(@RequestParam String key, Lease lease) throws InterruptedException {
			System.out.println("working " + key);
			this.end.await();
			return Boolean.toString(lease.isHeld());
		}

	}

}
