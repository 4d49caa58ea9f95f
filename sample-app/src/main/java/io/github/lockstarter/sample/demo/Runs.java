package io.github.lockstarter.sample.demo;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;

import org.springframework.stereotype.Component;

/**
 * Sends the requests of runs, and keeps the last runs.
 */
@Component
class Runs {

	/** With fifty requests each, more runs would exceed the threads of one instance. */
	static final int MAX_AT_ONCE = 2;

	private static final int MAX_KEPT = 20;

	private final HttpClient client = HttpClient.newBuilder()
		.proxy(HttpClient.Builder.NO_PROXY)
		.connectTimeout(Duration.ofSeconds(2))
		.build();

	private final Deque<Run> runs = new ArrayDeque<>();

	private final Executions executions;

	Runs(Executions executions) {
		this.executions = executions;
	}

	/** Starts a run, unless too many runs are in progress. */
	synchronized Optional<Run> fire(Policy policy, int requests, List<Instance> servers) {
		if (this.runs.stream().filter((run) -> !run.isOver()).count() >= MAX_AT_ONCE) {
			return Optional.empty();
		}
		this.executions.forgetBefore(Instant.now().minus(Duration.ofDays(1)));
		// Users stay in the database, so each name must be unique.
		String userName = "taro_" + UUID.randomUUID().toString().substring(0, 8);
		Instant started = Instant.now();
		List<SentRequest> sent = IntStream.rangeClosed(1, requests)
			.mapToObj((number) -> send(policy, userName, number, servers.get((number - 1) % servers.size())))
			.toList();
		Run run = new Run(userName, policy, servers, started, sent);
		this.runs.addFirst(run);
		if (this.runs.size() > MAX_KEPT) {
			this.runs.removeLast();
		}
		return Optional.of(run);
	}

	synchronized Optional<Run> find(String userName) {
		return this.runs.stream().filter((run) -> run.userName().equals(userName)).findAny();
	}

	/** Returns the kept runs, the latest first. */
	synchronized List<Run> latest() {
		return List.copyOf(this.runs);
	}

	private SentRequest send(Policy policy, String userName, int number, Instance server) {
		HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + policy.path() + "?userName=" + userName))
			.version(HttpClient.Version.HTTP_1_1)
			.header("Request-Number", Integer.toString(number))
			.timeout(Duration.ofMinutes(1))
			.POST(BodyPublishers.noBody())
			.build();
		return new SentRequest(number, server, request, Instant.now(),
				this.client.sendAsync(request, BodyHandlers.ofString()).handle(Answer::of));
	}

}
