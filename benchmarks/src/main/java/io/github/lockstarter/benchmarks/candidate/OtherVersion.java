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
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.store.redis.RedisLockStore;

/**
 * Loads another version of this library in addition to this one: all classes of the
 * library, and {@link StarterLocks} again, so that both versions are called by the same
 * code. They share Spring and the driver.
 */
final class OtherVersion extends URLClassLoader {

	/** The system property with the jars of the library, separated as in a class path. */
	static final String JARS = "baseline";

	private static final String LIBRARY = "io.github.lockstarter.";

	private static final String BENCHMARKS = "io.github.lockstarter.benchmarks.";

	/** The types that both versions share with their callers. */
	private static final Set<String> SHARED = Set.of(LockClient.class.getName(), RedisAddress.class.getName());

	private final ClassLoader benchmarks;

	/** The locations of this version. */
	private final List<String> current = Stream.of(LockRegistry.class, RedisLockStore.class, ExclusiveRequest.class)
		.map(OtherVersion::location)
		.toList();

	OtherVersion(URL[] jars, ClassLoader benchmarks) {
		super(jars, benchmarks);
		this.benchmarks = benchmarks;
	}

	/** Starts an instance of the version in the jars that the system property names. */
	static LockClient connect(RedisAddress redis) {
		return connect(redis, System.getProperty(JARS));
	}

	static LockClient connect(RedisAddress redis, String jars) {
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		try {
			OtherVersion loader = new OtherVersion(urls(jars), OtherVersion.class.getClassLoader());
			// Spring Boot uses it as the class loader of the application.
			thread.setContextClassLoader(loader);
			Constructor<?> constructor = loader.loadClass(StarterLocks.class.getName())
				.getDeclaredConstructor(RedisAddress.class);
			constructor.setAccessible(true);
			return (LockClient) constructor.newInstance(redis);
		}
		catch (MalformedURLException | ReflectiveOperationException ex) {
			throw new IllegalStateException("No other version could be started from " + jars, ex);
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

	private static URL[] urls(String jars) throws MalformedURLException {
		List<URL> urls = new ArrayList<>();
		for (String jar : jars.split(File.pathSeparator)) {
			urls.add(new File(jar).toURI().toURL());
		}
		return urls.toArray(URL[]::new);
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
		resources.removeIf((resource) -> this.current.stream().anyMatch(resource.toString()::contains));
		return Collections.enumeration(resources);
	}

	private static String location(Class<?> type) {
		return type.getProtectionDomain().getCodeSource().getLocation().toString();
	}

}
