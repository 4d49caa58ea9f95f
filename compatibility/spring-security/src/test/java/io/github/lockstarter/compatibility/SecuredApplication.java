package io.github.lockstarter.compatibility;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.beans.factory.BeanRegistrar;
import org.springframework.beans.factory.BeanRegistry;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

/**
 * An application of Spring MVC, whose clients authenticate in all ways of {@link Scheme}.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableMethodSecurity
@Import({ SecuredApplication.Chains.class, SecuredApplication.Handlers.class })
class SecuredApplication {

	@Bean
	UserDetailsService users() {
		return (name) -> User.withUsername(name).password("{noop}secret").roles("USER").build();
	}

	/** The token is the name of the user. */
	@Bean
	JwtDecoder jwtDecoder() {
		return (token) -> Jwt.withTokenValue(token).header("alg", "none").subject(token).build();
	}

	static class Chains implements BeanRegistrar {

		@Override
		public void register(BeanRegistry registry, Environment environment) {
			Stream.of(Scheme.values())
				.forEach((scheme) -> registry.registerBean(scheme.name(), SecurityFilterChain.class,
						(bean) -> bean.supplier((beans) -> scheme.chain(beans.bean(HttpSecurity.class)))));
		}

	}

	record Form(String key) {

	}

	/** Handlers that return who calls them, by the thread and by the request. */
	@RestController
	@RequestMapping("/{scheme}")
	static class Handlers {

		private final Map<String, Integer> runs = new ConcurrentHashMap<>();

		@PostMapping("/reject")
		@ExclusiveRequest(name = "page", key = "#key", waitTime = "5m")
		String reject(@RequestParam String key, HttpServletRequest request) {
			return caller(request);
		}

		@PostMapping("/wait")
		@ExclusiveRequest(name = "page", key = "#key", onConflict = OnConflict.WAIT, waitTime = "5m")
		String waits(@RequestParam String key, HttpServletRequest request) {
			return caller(request);
		}

		@PostMapping("/share")
		@ExclusiveRequest(name = "page", key = "{principal, #key}", onConflict = OnConflict.SHARE, waitTime = "5m")
		String share(@RequestParam String key, HttpServletRequest request) {
			return caller(request);
		}

		@PostMapping("/replay")
		@ExclusiveRequest(name = "page", key = "#key", replay = "1h", waitTime = "5m")
		String replay(@RequestParam String key, HttpServletRequest request) {
			return caller(request);
		}

		@PostMapping("/name")
		@ExclusiveRequest(name = "page", key = "principal.name", onConflict = OnConflict.WAIT, waitTime = "5m")
		String name(HttpServletRequest request) {
			return caller(request);
		}

		@PostMapping("/run")
		@ExclusiveRequest(name = "run", key = "#key", replay = "1h")
		String run(@RequestParam String key, HttpServletRequest request) {
			return caller(request) + " " + this.runs.merge(key, 1, Integer::sum);
		}

		@PostMapping("/forbidden")
		@PreAuthorize("hasRole('NOBODY')")
		@ExclusiveRequest(name = "page", key = "#form.key", onConflict = OnConflict.WAIT, waitTime = "5m")
		String forbidden(Form form) {
			return form.key();
		}

		@PostMapping("/email")
		@ExclusiveRequest(name = "page", key = "principal.email")
		String email() {
			return "never";
		}

		private static String caller(HttpServletRequest request) {
			return SecurityContextHolder.getContext().getAuthentication().getName() + " "
					+ request.getUserPrincipal().getName();
		}

	}

}
