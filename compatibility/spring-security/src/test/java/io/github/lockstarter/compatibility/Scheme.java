package io.github.lockstarter.compatibility;

import java.io.IOException;
import java.util.List;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.DefaultSecurityFilterChain;
import org.springframework.security.web.authentication.AnonymousAuthenticationFilter;
import org.springframework.web.filter.OncePerRequestFilter;

import io.github.lockstarter.testing.TestServer;

/**
 * The ways in which clients authenticate. Each has its own filter chain, for the paths
 * below its name.
 */
enum Scheme {

	FORM_LOGIN, FORM_LOGIN_ASYNC, RESOURCE_SERVER, RESOURCE_SERVER_ASYNC, TOKEN_FILTER, TOKEN_FILTER_ASYNC,
	TOKEN_FILTER_WITH_SESSIONS;

	/** Returns the filters for the requests below the path of the scheme. */
	DefaultSecurityFilterChain chain(HttpSecurity http) {
		http.securityMatcher(path("/**")).csrf(AbstractHttpConfigurer::disable).authorizeHttpRequests((requests) -> {
			if (name().endsWith("_ASYNC")) {
				requests.dispatcherTypeMatchers(DispatcherType.ASYNC).permitAll();
			}
			requests.anyRequest().authenticated();
		});
		if (name().startsWith("FORM_LOGIN")) {
			http.formLogin((login) -> login.loginProcessingUrl(path("/login")));
		}
		else if (name().startsWith("RESOURCE_SERVER")) {
			http.oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()));
		}
		else {
			http.addFilterBefore(new TokenFilter(), AnonymousAuthenticationFilter.class);
		}
		if (this != TOKEN_FILTER_WITH_SESSIONS && !name().startsWith("FORM_LOGIN")) {
			http.sessionManagement((sessions) -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS));
		}
		return http.build();
	}

	String path(String path) {
		return "/" + name() + path;
	}

	/** Returns the headers with which a user authenticates. */
	String[] headers(TestServer server, String user) throws IOException, InterruptedException {
		if (name().startsWith("FORM_LOGIN")) {
			String session = server.post(path("/login?password=secret&username=") + user)
				.headers()
				.firstValue("Set-Cookie")
				.orElseThrow();
			return new String[] { "Cookie", session.substring(0, session.indexOf(';')) };
		}
		return name().startsWith("RESOURCE_SERVER") ? new String[] { "Authorization", "Bearer " + user }
				: new String[] { "X-Token", user };
	}

	/** Sets the user only for the thread, as many filters of applications do. */
	private static final class TokenFilter extends OncePerRequestFilter {

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			String user = request.getHeader("X-Token");
			if (user != null) {
				SecurityContext context = SecurityContextHolder.createEmptyContext();
				context.setAuthentication(UsernamePasswordAuthenticationToken.authenticated(user, "",
						AuthorityUtils.createAuthorityList(List.of("ROLE_USER"))));
				SecurityContextHolder.setContext(context);
			}
			chain.doFilter(request, response);
		}

	}

}
