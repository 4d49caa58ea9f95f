package io.github.lockstarter.actuate;

import java.util.List;
import java.util.stream.Stream;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.MeterNotFoundException;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.test.simple.SimpleSpan;
import io.micrometer.tracing.test.simple.SimpleTracer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

class LockTracesTests {

	@ParameterizedTest
	@CsvSource({ "SERVLET,/orders", "REACTIVE,/reactive" })
	@DisplayName("The trace of a request contains the attempt and the lease, and so do the timers")
	void spans(WebApplicationType type, String path) throws Exception {
		SpringApplication application = new SpringApplication(TracedApplication.class);
		application.setWebApplicationType(type);
		try (TestServer server = TestServer.start(application, "lock.store=memory")) {
			server.context().getBean(WatchedApplication.Orders.class).finish();
			assertThat(server.post(path + "/taro").statusCode()).isEqualTo(200);
			SimpleTracer tracer = server.context().getBean(SimpleTracer.class);
			Awaitility.await()
				.until(() -> Stream.of("lock.acquire", "lock.hold", "http ")
					.allMatch((name) -> span(tracer, name) != null));
			SimpleSpan request = span(tracer, "http ");
			assertThat(List.of(span(tracer, "lock.acquire"), span(tracer, "lock.hold"))).allSatisfy((span) -> {
				assertThat(span.context().traceId()).isEqualTo(request.context().traceId());
				assertThat(span.context().parentId()).isEqualTo(request.context().spanId());
				assertThat(span.getTags()).containsEntry("lock", "orders").containsKey("outcome");
				assertThat(span.getTags().toString()).doesNotContain("taro");
			});
			MeterRegistry meters = server.context().getBean(MeterRegistry.class);
			Awaitility.await().ignoreException(MeterNotFoundException.class).untilAsserted(() -> {
				assertThat(meters.get("lock.acquire").tags("lock", "orders", "outcome", "granted").timer().count())
					.isOne();
				assertThat(meters.get("lock.hold").tags("lock", "orders", "outcome", "released").timer().count())
					.isOne();
			});
		}
	}

	private static SimpleSpan span(SimpleTracer tracer, String name) {
		return tracer.getSpans()
			.stream()
			.filter((span) -> span.getName().startsWith(name) && span.getEndTimestamp().toEpochMilli() > 0)
			.findFirst()
			.orElse(null);
	}

	@Configuration(proxyBeanMethods = false)
	@Import(WatchedApplication.class)
	static class TracedApplication {

		@Bean
		SimpleTracer tracer() {
			return new SimpleTracer();
		}

		@Bean
		DefaultTracingObservationHandler tracing(SimpleTracer tracer) {
			return new DefaultTracingObservationHandler(tracer);
		}

	}

}
