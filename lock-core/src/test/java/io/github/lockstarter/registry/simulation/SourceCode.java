package io.github.lockstarter.registry.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.Trees;

/**
 * The source code of a module and of its tests, in which code of a method, a constructor
 * or a field can be replaced. The files stay as they are.
 */
final class SourceCode {

	private static final List<Path> ROOTS = List.of(Path.of("src", "main", "java"), Path.of("src", "test", "java"));

	/** A comment or, as group 1, a token. */
	private static final Pattern TOKEN = Pattern.compile("""
			//.* | /[*](?s:.*?)[*]/ | (
			\"{3} [^"\\\\]*+ (?: (?: \\\\(?s:.) | "(?!"") ) [^"\\\\]*+ )*+ \"{3}
			| " (?: [^"\\\\] | \\\\. )*+ "
			| ' (?: [^'\\\\] | \\\\. )*+ '
			| [\\w$]+
			| -> | :: | [.]{3} | [+][+] | -- | && | [|][|] | >{1,3}=? | <<=? | [-+*/%&|^!=<]=?
			| \\S )
			""", Pattern.COMMENTS | Pattern.UNICODE_CHARACTER_CLASS);

	private final Path module;

	private final Map<Path, String> changed = new TreeMap<>();

	SourceCode(Path module) {
		this.module = module;
	}

	/** Returns the files that have been changed, by their paths in the module. */
	Map<Path, String> changed() {
		return this.changed;
	}

	/**
	 * Replaces code.
	 * @param place the method, constructor or field, as in a link in Javadoc
	 * @param code the tokens that are replaced, which the place must contain exactly once
	 * @param replacement what is written instead; may be empty
	 * @throws IllegalArgumentException if there is not exactly one such code, or if the
	 * source does not parse afterwards
	 */
	void replace(String place, String code, String replacement) {
		Declaration declaration = find(place);
		String source = source(declaration.file());
		List<MatchResult> tokens = tokens(source, declaration.start(), declaration.end());
		List<String> within = texts(tokens);
		List<String> wanted = texts(tokens(code, 0, code.length()));
		int first = Collections.indexOfSubList(within, wanted);
		if (wanted.isEmpty() || first < 0) {
			throw new IllegalArgumentException("%s does not contain this code:%n%s".formatted(place, code));
		}
		if (Collections.lastIndexOfSubList(within, wanted) != first) {
			throw new IllegalArgumentException(
					"%s contains this code more than once. Add code before or after it:%n%s".formatted(place, code));
		}
		this.changed.put(declaration.file(), source.substring(0, tokens.get(first).start()) + replacement
				+ source.substring(tokens.get(first + wanted.size() - 1).end()));
		declarations(declaration.file());
	}

	private static List<MatchResult> tokens(String source, int start, int end) {
		return TOKEN.matcher(source).region(start, end).results().filter((token) -> token.group(1) != null).toList();
	}

	private static List<String> texts(List<MatchResult> tokens) {
		return tokens.stream().map(MatchResult::group).toList();
	}

	private Declaration find(String place) {
		String[] parts = place.split("#");
		if (parts.length != 2) {
			throw new IllegalArgumentException("'%s' is not written as Type#method".formatted(place));
		}
		String type = parts[0];
		List<Declaration> all = files(type).stream()
			.flatMap((file) -> declarations(file).stream())
			.filter((each) -> each.isIn(type))
			.toList();
		if (all.isEmpty()) {
			throw new IllegalArgumentException(
					"There is no type %s with code in %s. Has it been renamed?".formatted(type, ROOTS));
		}
		List<Declaration> found = all.stream().filter((each) -> each.isCalled(parts[1])).toList();
		if (found.isEmpty()) {
			throw new IllegalArgumentException("There is no method, constructor or field %s. Has it been renamed? %s"
				.formatted(place, listed("These exist:", all)));
		}
		if (found.size() > 1) {
			throw new IllegalArgumentException("%s is not the only one. %s".formatted(place,
					listed("Add the types of the parameters, or a package. Write one of:", found)));
		}
		return found.get(0);
	}

	private static String listed(String title, List<Declaration> declarations) {
		return declarations.stream().map(Declaration::toString).collect(Collectors.joining("\n\t", title + "\n\t", ""));
	}

	/** Returns the files that may contain a type: it may be nested, or have a package. */
	private List<Path> files(String type) {
		List<String> names = Stream.of(type.split("\\.")).map((name) -> name + ".java").toList();
		List<Path> found = new ArrayList<>();
		for (Path root : ROOTS) {
			Path folder = this.module.resolve(root);
			if (Files.exists(folder)) {
				try (Stream<Path> files = Files.walk(folder)) {
					files.filter((file) -> names.contains(file.getFileName().toString()))
						.map(this.module::relativize)
						.forEach(found::add);
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			}
		}
		return found;
	}

	private String source(Path file) {
		try {
			String source = this.changed.get(file);
			return (source != null) ? source : Files.readString(this.module.resolve(file));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private List<Declaration> declarations(Path file) {
		DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
		JavacTask task = (JavacTask) ToolProvider.getSystemJavaCompiler()
			.getTask(null, null, problems, List.of("-proc:none"), null, List.of(new Source(source(file))));
		try {
			List<Declaration> declarations = new ArrayList<>();
			CompilationUnitTree unit = task.parse().iterator().next();
			String scope = (unit.getPackageName() != null) ? unit.getPackageName().toString() : "";
			SourcePositions positions = Trees.instance(task).getSourcePositions();
			Declarations members = new Declarations(file, unit, positions, declarations);
			unit.getTypeDecls().forEach((type) -> members.collect(type, scope));
			for (Diagnostic<?> problem : problems.getDiagnostics()) {
				if (problem.getKind() == Diagnostic.Kind.ERROR) {
					throw new IllegalArgumentException("%s does not parse: line %d: %s".formatted(file,
							problem.getLineNumber(), problem.getMessage(null)));
				}
			}
			return declarations;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * A method, a constructor or a field.
	 *
	 * @param type the full name of its type
	 * @param name its name; that of a constructor is the one of its type
	 * @param parameters the types of its parameters in parentheses; empty for a field
	 */
	private record Declaration(Path file, String type, String name, String parameters, int start, int end) {

		boolean isIn(String wanted) {
			return ("." + this.type).endsWith("." + wanted);
		}

		boolean isCalled(String wanted) {
			return wanted.equals(this.name) || withoutSpace(wanted).equals(withoutSpace(this.name + this.parameters));
		}

		private static String withoutSpace(String text) {
			return text.replaceAll("\\s", "");
		}

		@Override
		public String toString() {
			return this.type + "#" + this.name + this.parameters;
		}

	}

	/**
	 * The declarations of a file.
	 */
	private record Declarations(Path file, CompilationUnitTree unit, SourcePositions positions, List<Declaration> all) {

		void collect(Tree tree, String scope) {
			if (tree instanceof ClassTree type) {
				String name = scope.isEmpty() ? type.getSimpleName().toString() : scope + "." + type.getSimpleName();
				type.getMembers().forEach((member) -> collect(member, name));
			}
			else if (tree instanceof MethodTree method) {
				String type = scope.substring(scope.lastIndexOf('.') + 1);
				String name = method.getName().contentEquals("<init>") ? type : method.getName().toString();
				add(tree, scope, name,
						method.getParameters()
							.stream()
							.map((parameter) -> parameter.getType().toString())
							.collect(Collectors.joining(", ", "(", ")")));
			}
			else if (tree instanceof VariableTree field) {
				add(tree, scope, field.getName().toString(), "");
			}
		}

		private void add(Tree tree, String type, String name, String parameters) {
			this.all.add(new Declaration(this.file, type, name, parameters,
					(int) this.positions.getStartPosition(this.unit, tree),
					(int) this.positions.getEndPosition(this.unit, tree)));
		}

	}

	/**
	 * Source code in memory.
	 */
	private static final class Source extends SimpleJavaFileObject {

		private final String code;

		Source(String code) {
			super(URI.create("string:///Source.java"), Kind.SOURCE);
			this.code = code;
		}

		@Override
		public CharSequence getCharContent(boolean ignoreEncodingErrors) {
			return this.code;
		}

	}

}
