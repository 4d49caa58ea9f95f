package io.github.lockstarter.faults;

import java.io.IOException;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

import io.github.lockstarter.Lease;
import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * A web application whose work takes a while.
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

	@RestController
	static class Controller {

		@GetMapping("/work")
		@ExclusiveRequest(name = "work", key = "#key", waitTime = "1m")
		public String work(@RequestParam String key, Lease lease) throws InterruptedException {
			System.out.println("working " + key);
			Thread.sleep(5000);
			return Boolean.toString(lease.isHeld());
		}

	}

}
