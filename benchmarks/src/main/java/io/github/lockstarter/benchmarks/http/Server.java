package io.github.lockstarter.benchmarks.http;

import java.util.Collection;
import java.util.EnumSet;

import org.springframework.boot.WebApplicationType;

/**
 * The servers of the endpoints.
 */
public enum Server {

	PLATFORM_THREADS("Spring MVC on platform threads", ServletApplication.class, WebApplicationType.SERVLET, false),

	VIRTUAL_THREADS("Spring MVC on virtual threads", ServletApplication.class, WebApplicationType.SERVLET, true),

	WEBFLUX("WebFlux", ReactiveApplication.class, WebApplicationType.REACTIVE, false);

	private final String title;

	private final Class<?> application;

	private final WebApplicationType type;

	private final boolean virtualThreads;

	Server(String title, Class<?> application, WebApplicationType type, boolean virtualThreads) {
		this.title = title;
		this.application = application;
		this.type = type;
		this.virtualThreads = virtualThreads;
	}

	Class<?> application() {
		return this.application;
	}

	WebApplicationType type() {
		return this.type;
	}

	boolean virtualThreads() {
		return this.virtualThreads;
	}

	/** Returns whether this JVM can run it: not every JVM has virtual threads. */
	public boolean runsHere() {
		return !this.virtualThreads || Runtime.version().feature() >= 21;
	}

	/**
	 * Returns the endpoints that it has. A reactive server has none with a blocking
	 * library.
	 */
	public Collection<Variant> variants() {
		return (this.type == WebApplicationType.SERVLET) ? EnumSet.allOf(Variant.class)
				: EnumSet.complementOf(EnumSet.of(Variant.LOCK4J));
	}

	@Override
	public String toString() {
		return this.title;
	}

}
