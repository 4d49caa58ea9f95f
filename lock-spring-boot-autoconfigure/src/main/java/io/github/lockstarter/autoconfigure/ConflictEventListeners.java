package io.github.lockstarter.autoconfigure;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.context.event.GenericApplicationListenerAdapter;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;

import io.github.lockstarter.LockConflictEvent;
import io.github.lockstarter.LockSkippedEvent;
import io.github.lockstarter.event.LockEvents;

/**
 * Determines which events have a listener, after all beans have been created and before
 * the first request. Listeners for all events, such as one that logs them, are ignored:
 * otherwise each rejection would be published to them.
 */
final class ConflictEventListeners implements SmartLifecycle {

	private final LockEvents events;

	private final ApplicationContext context;

	private volatile boolean running;

	ConflictEventListeners(LockEvents events, ApplicationContext context) {
		this.events = events;
		this.context = context;
	}

	/** Before all components that call methods. */
	@Override
	public int getPhase() {
		return Integer.MIN_VALUE;
	}

	@Override
	public void start() {
		this.events.publish(exist(LockConflictEvent.class), exist(LockSkippedEvent.class));
		this.running = true;
	}

	private boolean exist(Class<?> type) {
		// An event is also published to the listeners of parent contexts.
		for (ApplicationContext each = this.context; each != null; each = each.getParent()) {
			if (exist(each, event(type))) {
				return true;
			}
		}
		return false;
	}

	private static boolean exist(ApplicationContext context, ResolvableType event) {
		return (context instanceof AbstractApplicationContext known && known.getApplicationListeners()
			.stream()
			.map(ConflictEventListeners::typed)
			.anyMatch((listener) -> listener.supportsEventType(event)
					&& !listener.supportsEventType(event(AnyEvent.class))))
				|| isDeclared(context, event);
	}

	/**
	 * The event type of a lambda, or of a bean that is created later, is taken from the
	 * declaration of its bean.
	 */
	private static boolean isDeclared(ApplicationContext context, ResolvableType event) {
		ResolvableType listener = ResolvableType.forClassWithGenerics(ApplicationListener.class, event);
		return context.getBeanNamesForType(listener, true, false).length > 0;
	}

	private static GenericApplicationListener typed(ApplicationListener<?> listener) {
		return (listener instanceof GenericApplicationListener typed) ? typed
				: new GenericApplicationListenerAdapter(listener);
	}

	private static ResolvableType event(Class<?> payload) {
		return ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, payload);
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/** An event that is never published: its listeners are those for all events. */
	private record AnyEvent() {

	}

}
