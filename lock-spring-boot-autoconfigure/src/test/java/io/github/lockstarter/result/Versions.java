package io.github.lockstarter.result;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import org.springframework.core.ResolvableType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compiles versions of a class with the name {@code Result}.
 */
final class Versions {

	private static final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();

	/** Shared, because it caches the JDK and the class path. */
	private static final JavaFileManager classPath = compiler.getStandardFileManager(null, null, null);

	private Versions() {
	}

	static String shape(String source) {
		return TypeShape.of(ResolvableType.forClass(compile(source)));
	}

	/** Returns the class that the source declares, in a new class loader. */
	static Class<?> compile(String source) {
		Map<String, ByteArrayOutputStream> classes = new LinkedHashMap<>();
		JavaFileManager files = new ForwardingJavaFileManager<>(classPath) {

			@Override
			public JavaFileObject getJavaFileForOutput(Location location, String name, JavaFileObject.Kind kind,
					FileObject sibling) {
				return new SimpleJavaFileObject(URI.create("memory:///" + name + ".class"), kind) {

					@Override
					public OutputStream openOutputStream() {
						return classes.computeIfAbsent(name, (each) -> new ByteArrayOutputStream());
					}

				};
			}

		};
		JavaFileObject file = new SimpleJavaFileObject(URI.create("memory:///Result.java"),
				JavaFileObject.Kind.SOURCE) {

			@Override
			public CharSequence getCharContent(boolean ignoreEncodingErrors) {
				return source;
			}

		};
		assertThat(compiler.getTask(null, files, null, List.of("-proc:none"), null, List.of(file)).call()).isTrue();
		ClassLoader loader = new ClassLoader(Versions.class.getClassLoader()) {

			@Override
			protected Class<?> findClass(String name) throws ClassNotFoundException {
				ByteArrayOutputStream bytes = classes.get(name);
				if (bytes == null) {
					throw new ClassNotFoundException(name);
				}
				return defineClass(name, bytes.toByteArray(), 0, bytes.size());
			}

		};
		try {
			return loader.loadClass("Result");
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
