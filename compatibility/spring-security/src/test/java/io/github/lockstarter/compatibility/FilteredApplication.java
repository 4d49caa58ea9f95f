package io.github.lockstarter.compatibility;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.filter.ShallowEtagHeaderFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

/**
 * An application of Spring MVC with filters of its own, as many have them: written
 * without a thought of asynchronous dispatches. Each has the paths below its name.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = ServletWebSecurityAutoConfiguration.class)
@Import(FilteredApplication.Handlers.class)
class FilteredApplication {

	/** The filters that wrap the response. */
	static final List<String> WRAPPERS = List.of("/buffered", "/buffered-always", "/signed", "/compressed", "/etag");

	@Bean
	FilterRegistrationBean<Filter> buffered() {
		return registration(new Buffering(true), "/buffered");
	}

	@Bean
	FilterRegistrationBean<Filter> bufferedAlways() {
		return registration(new Buffering(false), "/buffered-always");
	}

	@Bean
	FilterRegistrationBean<Filter> signed() {
		return registration((request, response, chain) -> {
			Collected collected = new Collected((HttpServletResponse) response);
			chain.doFilter(request, collected);
			byte[] body = collected.body();
			((HttpServletResponse) response).setHeader("X-Signature", Integer.toHexString(Arrays.hashCode(body)));
			response.setContentLength(body.length);
			response.getOutputStream().write(body);
		}, "/signed");
	}

	@Bean
	FilterRegistrationBean<Filter> compressed() {
		return registration((request, response, chain) -> {
			Collected collected = new Collected((HttpServletResponse) response);
			chain.doFilter(request, collected);
			((HttpServletResponse) response).setHeader("Content-Encoding", "gzip");
			try (OutputStream output = new GZIPOutputStream(response.getOutputStream())) {
				output.write(collected.body());
			}
		}, "/compressed");
	}

	@Bean
	FilterRegistrationBean<Filter> etag() {
		return registration(new ShallowEtagHeaderFilter(), "/etag");
	}

	@Bean
	FilterRegistrationBean<Filter> tenant() {
		return registration((request, response, chain) -> {
			Tenant.current.set(((HttpServletRequest) request).getHeader("X-Tenant"));
			try {
				chain.doFilter(request, response);
			}
			finally {
				Tenant.current.remove();
			}
		}, "/tenant");
	}

	@Bean
	FilterRegistrationBean<Filter> mdc() {
		return registration((request, response, chain) -> {
			try (MDC.MDCCloseable tenant = MDC.putCloseable("tenant",
					((HttpServletRequest) request).getHeader("X-Tenant"))) {
				chain.doFilter(request, response);
			}
		}, "/mdc");
	}

	/** The request itself has no user. */
	@Bean
	FilterRegistrationBean<Filter> user() {
		return registration((request, response, chain) -> {
			SecurityContextHolder.setContext(new SecurityContextImpl(new TestingAuthenticationToken("alice", "")));
			try {
				chain.doFilter(request, response);
			}
			finally {
				SecurityContextHolder.clearContext();
			}
		}, "/user");
	}

	private static FilterRegistrationBean<Filter> registration(Filter filter, String path) {
		FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
		registration.setName(path);
		registration.addUrlPatterns(path + "/*");
		return registration;
	}

	/** The tenant of the thread. */
	static final class Tenant {

		private static final ThreadLocal<@Nullable String> current = new ThreadLocal<>();

		private Tenant() {
		}

	}

	/** Copies the response back in any case. */
	private static final class Buffering extends OncePerRequestFilter {

		private final boolean skipsAsyncDispatches;

		Buffering(boolean skipsAsyncDispatches) {
			this.skipsAsyncDispatches = skipsAsyncDispatches;
		}

		@Override
		protected boolean shouldNotFilterAsyncDispatch() {
			return this.skipsAsyncDispatches;
		}

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			ContentCachingResponseWrapper buffered = new ContentCachingResponseWrapper(response);
			try {
				chain.doFilter(request, buffered);
			}
			finally {
				buffered.copyBodyToResponse();
			}
		}

	}

	/** Collects the body, and writes nothing. */
	private static final class Collected extends HttpServletResponseWrapper {

		private final ByteArrayOutputStream body = new ByteArrayOutputStream();

		private final PrintWriter writer = new PrintWriter(new OutputStreamWriter(this.body, StandardCharsets.UTF_8));

		Collected(HttpServletResponse response) {
			super(response);
		}

		byte[] body() {
			this.writer.flush();
			return this.body.toByteArray();
		}

		@Override
		public PrintWriter getWriter() {
			return this.writer;
		}

		@Override
		public ServletOutputStream getOutputStream() {
			return new ServletOutputStream() {

				@Override
				public boolean isReady() {
					return true;
				}

				@Override
				public void setWriteListener(WriteListener listener) {
				}

				@Override
				public void write(int b) {
					Collected.this.body.write(b);
				}

			};
		}

		@Override
		public void setContentLength(int length) {
		}

		@Override
		public void setContentLengthLong(long length) {
		}

		@Override
		public void flushBuffer() {
		}

	}

	record Receipt(String text, List<Integer> numbers) {

	}

	@RestController
	@RequestMapping("/{filter}")
	static class Handlers {

		@PostMapping("/reject")
		@ExclusiveRequest(name = "page", key = "#key", waitTime = "5m")
		Receipt reject(@RequestParam String key) {
			return new Receipt("拒否", List.of(1, 2));
		}

		@PostMapping("/wait")
		@ExclusiveRequest(name = "page", key = "#key", onConflict = OnConflict.WAIT, waitTime = "5m")
		ResponseEntity<Receipt> waits(@RequestParam String key) {
			return ResponseEntity.accepted().header("X-Receipt", "1").body(new Receipt("待", List.of(1, 2)));
		}

		@PostMapping("/write")
		@ExclusiveRequest(name = "page", key = "#key", onConflict = OnConflict.WAIT, waitTime = "5m")
		void write(@RequestParam String key, HttpServletResponse response) throws IOException {
			response.setContentType(MediaType.TEXT_PLAIN_VALUE);
			response.getOutputStream().write("written by the handler".getBytes(StandardCharsets.UTF_8));
		}

		@PostMapping("/share")
		@ExclusiveRequest(name = "page", key = "#key", onConflict = OnConflict.SHARE, waitTime = "5m")
		Receipt share(@RequestParam String key) {
			return new Receipt("共有", List.of(1, 2));
		}

		@PostMapping("/replay")
		@ExclusiveRequest(name = "page", key = "#key", replay = "1h", waitTime = "5m")
		Receipt replay(@RequestParam String key) {
			return new Receipt("再生", List.of(1, 2));
		}

		@PostMapping("/own")
		@ExclusiveRequest(name = "page", key = "principal.name", onConflict = OnConflict.WAIT, waitTime = "5m")
		String own() {
			return SecurityContextHolder.getContext().getAuthentication().getName();
		}

		@PostMapping("/thread")
		@ExclusiveRequest(name = "page", key = "#key", onConflict = OnConflict.WAIT, waitTime = "5m")
		String thread(@RequestParam String key) {
			return Tenant.current.get() + " " + MDC.get("tenant");
		}

	}

}
