package io.github.lockstarter.sample.demo;

import java.net.ConnectException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The instances that share the database. Each enters itself when its web server is up,
 * and is asked before it is used: one that was killed does not respond, and is removed.
 */
@Component
class Instances implements DisposableBean {

	private static final Log logger = LogFactory.getLog(Instances.class);

	private static final Duration PATIENCE = Duration.ofSeconds(3);

	private final HttpClient client = HttpClient.newBuilder()
		.proxy(HttpClient.Builder.NO_PROXY)
		.connectTimeout(PATIENCE)
		.build();

	private final JdbcClient jdbc;

	private final String host;

	private final String contextPath;

	// A port, once it is known.
	private volatile Instance own;

	Instances(JdbcClient jdbc, @Value("${server.address:127.0.0.1}") InetAddress address,
			@Value("${server.servlet.context-path:}") String contextPath, @Value("${lock.store:redis}") String store,
			DemoProperties properties) {
		this.jdbc = jdbc;
		String host = (address.isAnyLocalAddress() ? "127.0.0.1" : address.getHostAddress());
		this.host = host.contains(":") ? "[" + host + "]" : host;
		this.contextPath = contextPath;
		this.own = new Instance("http://not-started", UUID.randomUUID().toString(), properties.killable(),
				store.toLowerCase(Locale.ROOT));
	}

	@EventListener
	void enter(WebServerInitializedEvent event) {
		if (event.getApplicationContext().getServerNamespace() == null) {
			this.own = new Instance("http://" + this.host + ":" + event.getWebServer().getPort() + this.contextPath,
					this.own.instanceId(), this.own.killable(), this.own.store());
			enter();
		}
	}

	private void enter() {
		this.jdbc.sql("merge into instance (url, instance_id, killable, store) key (url) values (?, ?, ?, ?)")
			.params(this.own.url(), this.own.instanceId(), this.own.killable(), this.own.store())
			.update();
	}

	@Override
	public void destroy() {
		try {
			remove(this.own);
		}
		catch (DataAccessException ex) {
			logger.debug("This instance stays in the list until another instance finds that it does not respond", ex);
		}
	}

	Instance own() {
		return this.own;
	}

	/**
	 * Returns the first of them that the page may kill: only one at a loopback address
	 * that was started after the one with the page, and has its locks in the same store.
	 * The first of all serves the database to the others.
	 */
	Optional<Instance> killable(List<Instance> running) {
		return running.stream()
			.dropWhile((each) -> !each.equals(this.own))
			.skip(1)
			.filter((each) -> each.killable() && ThisMachine.runs(each) && each.store().equals(this.own.store()))
			.findFirst();
	}

	/** Returns those that respond, the longest running first. */
	List<Instance> running() {
		// Another instance may have removed this one, as after the machine slept.
		enter();
		Map<Instance, CompletableFuture<Boolean>> asked = this.jdbc
			.sql("select url, instance_id, killable, store from instance order by started, url")
			.query(Instance.class)
			.list()
			.stream()
			.collect(Collectors.toMap((each) -> each, this::responds, (a, b) -> a, LinkedHashMap::new));
		return asked.entrySet().stream().filter((each) -> each.getValue().join()).map(Map.Entry::getKey).toList();
	}

	/** Returns the first port from 8081 that none of the instances has. */
	static int nextPort(List<Instance> instances) {
		List<Integer> ports = instances.stream().map((each) -> URI.create(each.url()).getPort()).toList();
		return IntStream.iterate(8081, (port) -> port + 1)
			.filter((port) -> !ports.contains(port))
			.findFirst()
			.orElseThrow();
	}

	private CompletableFuture<Boolean> responds(Instance instance) {
		if (instance.equals(this.own)) {
			return CompletableFuture.completedFuture(true);
		}
		HttpRequest request = HttpRequest.newBuilder(URI.create(instance.url() + "/demo/instance"))
			.version(HttpClient.Version.HTTP_1_1)
			.timeout(PATIENCE)
			.build();
		return this.client.sendAsync(request, BodyHandlers.ofString())
			.handle((response, failure) -> judge(instance, Optional.ofNullable(response), failure));
	}

	/** An instance that is only slow is kept for the next check. */
	private boolean judge(Instance instance, Optional<HttpResponse<String>> response, @Nullable Throwable failure) {
		boolean running = response.filter((each) -> each.body().equals(instance.instanceId())).isPresent();
		Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
		boolean gone = response.isPresent() || cause instanceof ConnectException;
		if (!running && gone) {
			remove(instance);
		}
		return running;
	}

	private void remove(Instance instance) {
		this.jdbc.sql("delete from instance where url = ? and instance_id = ?")
			.params(instance.url(), instance.instanceId())
			.update();
	}

}
