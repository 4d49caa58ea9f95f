package io.github.lockstarter.client;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.ReactorClientHttpRequestFactory;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.client.NoOpResponseErrorHandler;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * The kinds of clients of an application.
 */
enum Client {

	REST_CLIENT {
		@Override
		Sender with(Retries retries, VirtualTime time, Duration timeout) {
			return blocking(jdk(timeout), retries, time);
		}
	},

	REST_CLIENT_ON_NETTY {
		@Override
		Sender with(Retries retries, VirtualTime time, Duration timeout) {
			return blocking(new ReactorClientHttpRequestFactory(netty(timeout)), retries, time);
		}
	},

	REST_TEMPLATE {
		@Override
		Sender with(Retries retries, VirtualTime time, Duration timeout) {
			RestTemplate template = new RestTemplate(jdk(timeout));
			template.getInterceptors().add(new IdempotentRetryInterceptor(retries, time));
			template.setErrorHandler(new NoOpResponseErrorHandler());
			return (method, url, headers, body) -> template.exchange(url, method, new HttpEntity<>(body, headers),
					String.class);
		}
	},

	WEB_CLIENT {
		@Override
		Sender with(Retries retries, VirtualTime time, Duration timeout) {
			return reactive(
					new ReactorClientHttpConnector(
							HttpClient.create(ConnectionProvider.newConnection()).responseTimeout(timeout)),
					retries, time);
		}
	},

	WEB_CLIENT_ON_THE_JDK {
		@Override
		Sender with(Retries retries, VirtualTime time, Duration timeout) {
			JdkClientHttpConnector connector = new JdkClientHttpConnector();
			connector.setReadTimeout(timeout);
			return reactive(connector, retries, time);
		}
	};

	/** Returns a client with retries in this time. */
	abstract Sender with(Retries retries, VirtualTime time, Duration timeout);

	private static ClientHttpRequestFactory jdk(Duration timeout) {
		JdkClientHttpRequestFactory factory = new JdkClientHttpRequestFactory();
		factory.setReadTimeout(timeout);
		return factory;
	}

	private static HttpClient netty(Duration timeout) {
		return HttpClient.create(ConnectionProvider.newConnection()).responseTimeout(timeout);
	}

	private static Sender blocking(ClientHttpRequestFactory factory, Retries retries, VirtualTime time) {
		RestClient client = RestClient.builder()
			.requestFactory(factory)
			.requestInterceptor(new IdempotentRetryInterceptor(retries, time))
			.defaultStatusHandler((status) -> true, (request, response) -> {
			})
			.build();
		return (method, url, headers, body) -> {
			RestClient.RequestBodySpec request = client.method(method).uri(url).headers((all) -> all.addAll(headers));
			if (body != null) {
				request.body(body);
			}
			return request.retrieve().toEntity(String.class);
		};
	}

	private static Sender reactive(ClientHttpConnector connector, Retries retries, VirtualTime time) {
		WebClient client = WebClient.builder()
			.clientConnector(connector)
			.filter(new IdempotentRetryFilter(retries, time))
			.build();
		return (method, url, headers, body) -> {
			WebClient.RequestBodySpec request = client.method(method).uri(url).headers((all) -> all.addAll(headers));
			if (body != null) {
				request.bodyValue(body);
			}
			ResponseEntity<String> result = request.exchangeToMono((response) -> response.toEntity(String.class))
				.block(Duration.ofMinutes(1));
			assert result != null;
			return result;
		};
	}

	/** Sends a request, and returns the response, whatever its status. */
	@FunctionalInterface
	interface Sender {

		ResponseEntity<String> send(HttpMethod method, String url, HttpHeaders headers, @Nullable String body);

	}

}
