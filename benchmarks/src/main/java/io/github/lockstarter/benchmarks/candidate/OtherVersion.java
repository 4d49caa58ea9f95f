package io.github.lockstarter.benchmarks.candidate;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockRegistry;

/**
 * Loads another version of this library in addition to this one: all classes of the
 * library, and {@link StarterLocks} again, so that both versions are called by the same
 * code. They share Spring and the driver.
 */
final class OtherVersion extends URLClassLoader {

	/** The system property with the jar of {@code lock-spring-boot-autoconfigure}. */
	static final String JAR = "baseline";

	private static final String LIBRARY = "io.github.lockstarter.";

	private static final String BENCHMARKS = "io.github.lockstarter.benchmarks.";

	/** The types that both versions share with their callers. */
	private static final Set<String> SHARED = Set.of(LockClient.class.getName(), RedisAddress.class.getName());

	private final ClassLoader benchmarks;

	/** The location of this version. */
	private final String current = location(LockRegistry.class);

	OtherVersion(URL jar, ClassLoader benchmarks) {
		super(new URL[] { jar }, benchmarks);
		this.benchmarks = benchmarks;
	}

	/** Starts an instance of the version in the jar that the system property names. */
	static LockClient connect(RedisAddress redis) {
		return connect(redis, new File(System.getProperty(JAR)));
	}

	static LockClient connect(RedisAddress redis, File jar) {
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		try {
			OtherVersion loader = new OtherVersion(jar.toURI().toURL(), OtherVersion.class.getClassLoader());
			// Spring Boot uses it as the class loader of the application.
			thread.setContextClassLoader(loader);
			Constructor<?> constructor = loader.loadClass(StarterLocks.class.getName())
				.getDeclaredConstructor(RedisAddress.class);
			constructor.setAccessible(true);
			return (LockClient) constructor.newInstance(redis);
		}
		catch (MalformedURLException | ReflectiveOperationException ex) {
			throw new IllegalStateException("No other version could be started from " + jar, ex);
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

	@Override
	protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
		if (!name.startsWith(LIBRARY) || SHARED.contains(name)) {
			return super.loadClass(name, resolve);
		}
		synchronized (getClassLoadingLock(name)) {
			Class<?> loaded = findLoadedClass(name);
			if (loaded == null) {
				loaded = name.startsWith(BENCHMARKS) ? copy(name) : findClass(name);
			}
			return loaded;
		}
	}

	private Class<?> copy(String name) throws ClassNotFoundException {
		try (InputStream file = this.benchmarks.getResourceAsStream(name.replace('.', '/') + ".class")) {
			if (file == null) {
				throw new ClassNotFoundException(name);
			}
			byte[] bytes = file.readAllBytes();
			return defineClass(name, bytes, 0, bytes.length);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public @Nullable URL getResource(String name) {
		URL own = findResource(name);
		return (own != null) ? own : super.getResource(name);
	}

	/** Excludes the resources of this version. */
	@Override
	public Enumeration<URL> getResources(String name) throws IOException {
		List<URL> resources = new ArrayList<>(Collections.list(super.getResources(name)));
		resources.removeIf((resource) -> resource.toString().contains(this.current));
		return Collections.enumeration(resources);
	}

	private static String location(Class<?> type) {
		return type.getProtectionDomain().getCodeSource().getLocation().toString();
	}

}
