package io.github.lockstarter.listeners;

import java.util.stream.Stream;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.Lifecycle;
import org.springframework.context.support.GenericApplicationContext;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;

/**
 * An instance whose listeners can be stopped and started.
 */
final class Server implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private final Lifecycle listeners;

	private Server(ConfigurableApplicationContext context, Class<? extends Lifecycle> listeners) {
		this.context = context;
		this.listeners = context.getBean(listeners);
	}

	static Server start(Class<?> application, Class<? extends Lifecycle> listeners, Ledger ledger,
			String... properties) {
		return new Server(run(Stream.of(application), ledger, properties), listeners);
	}

	/** Starts an application that uses the ledger. */
	static ConfigurableApplicationContext run(Stream<Class<?>> sources, Ledger ledger, String... properties) {
		return new SpringApplicationBuilder(sources.toArray(Class<?>[]::new)).web(WebApplicationType.NONE)
			.initializers((context) -> ((GenericApplicationContext) context).registerBean(Ledger.class, () -> ledger))
			.properties(properties)
			.run();
	}

	void startListeners() {
		this.listeners.start();
	}

	void stopListeners() {
		this.listeners.stop();
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	/** Returns the count of an event of the payment locks. */
	long count(Event event) {
		return bean(LockCounts.class).get("payments", event);
	}

	@Override
	public void close() {
		this.context.close();
	}

}
