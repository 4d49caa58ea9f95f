package io.github.lockstarter.autoconfigure;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;

/**
 * Warns when properties under {@code lock} have changed in a running application, as by
 * the endpoint {@code refresh} of Spring Cloud: they have no effect before a restart. All
 * instances that share a lock should follow the same settings, and those of an annotated
 * method are checked only at startup.
 */
final class RefreshWarning implements GenericApplicationListener {

	private static final Log logger = LogFactory.getLog(RefreshWarning.class);

	/** An event of Spring Cloud Context, which is no dependency. */
	private static final String CHANGE = "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

	private final Environment environment;

	private final ListableBeanFactory beans;

	RefreshWarning(Environment environment, ListableBeanFactory beans) {
		this.environment = environment;
		this.beans = beans;
	}

	@Override
	public boolean supportsEventType(ResolvableType eventType) {
		return eventType.toClass().getName().equals(CHANGE);
	}

	@Override
	public void onApplicationEvent(ApplicationEvent event) {
		Set<String> changed = keys(event).stream()
			.map(Object::toString)
			.filter((key) -> key.startsWith("lock."))
			.collect(Collectors.toCollection(TreeSet::new));
		if (!changed.isEmpty() && differs()) {
			logger.warn("The changes of %s have no effect before a restart of the application".formatted(changed));
		}
	}

	private static Collection<?> keys(ApplicationEvent event) {
		return (PropertyAccessorFactory.forBeanPropertyAccess(event)
			.getPropertyValue("keys") instanceof Collection<?> keys) ? keys : Set.of();
	}

	/** The application may have properties of its own under the prefix. */
	private boolean differs() {
		Binder binder = Binder.get(this.environment);
		try {
			LockProperties current = binder.bindOrCreate("lock", Bindable.of(LockProperties.class),
					new LockEnvironmentVariables().apply(BindHandler.DEFAULT));
			return !current.equals(this.beans.getBean(LockProperties.class))
					|| Stream.of(LockProperties.Store.values()).anyMatch((store) -> differs(store, binder));
		}
		catch (RuntimeException ex) {
			// Startup would fail.
			return true;
		}
	}

	/** A store that is not used has no bean of its properties. */
	private boolean differs(LockProperties.Store store, Binder binder) {
		return this.beans.getBeansOfType(store.properties())
			.values()
			.stream()
			.anyMatch((bound) -> !bound.equals(store.bind(binder, BindHandler.DEFAULT)));
	}

}
