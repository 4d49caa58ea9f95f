package io.github.lockstarter.autoconfigure;

import java.util.OptionalInt;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;

import org.apache.coyote.AbstractProtocol;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

/**
 * The threads on which a servlet container handles requests.
 */
final class ContainerThreads {

	private static final ClassLoader LOADER = ContainerThreads.class.getClassLoader();

	private static final boolean TOMCAT = ClassUtils.isPresent("org.springframework.boot.tomcat.TomcatWebServer",
			LOADER);

	private ContainerThreads() {
	}

	/**
	 * Returns the largest number of threads of the embedded container of the application,
	 * after its start: of Tomcat, or as configured for Jetty. Empty if it is not known,
	 * as in an external container.
	 */
	static OptionalInt max(ApplicationContext context) {
		Integer max = TOMCAT ? OfTomcat.max(context) : null;
		max = (max != null) ? max : context.getEnvironment().getProperty("server.jetty.threads.max", Integer.class);
		return (max != null && max > 0) ? OptionalInt.of(max) : OptionalInt.empty();
	}

	/** A class of its own, because Tomcat is optional. */
	private static final class OfTomcat {

		static @Nullable Integer max(ApplicationContext context) {
			if (!(context instanceof WebServerApplicationContext web
					&& web.getWebServer() instanceof TomcatWebServer server
					&& server.getTomcat()
						.getConnector()
						.getProtocolHandler() instanceof AbstractProtocol<?> protocol)) {
				return null;
			}
			Executor executor = protocol.getExecutor();
			return (executor instanceof ThreadPoolExecutor pool) ? pool.getMaximumPoolSize() : protocol.getMaxThreads();
		}

	}

}
