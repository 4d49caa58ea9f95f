package io.github.lockstarter.registry.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Checks that the mutations for the script {@code mutate} fit the current code, and tests
 * what they survive.
 */
class MutationsTests {

	private static final Path FILE = Path.of("src/main/java/house/front/Door.java");

	private static final String DOOR = """
			package house.front;

			class Door {

				private static final int KEYS = 2;

				private final String name;

				Door(String name) {
					this.name = name;
				}

				/** Does: if (key < KEYS || this.locked). */
				boolean open(int key) {
					if (key < KEYS || this.locked) {
						return false; // too small
					}
					return turn(key);
				}

				boolean turn(int key) {
					return key == KEYS;
				}

				boolean turn(String key) {
					return turn(Integer.parseInt(key));
				}

				static final class Lock {

					boolean open(int key) {
						return key > KEYS && key > KEYS + 1;
					}

				}

			}
			""";

	@TempDir
	Path module;

	@ParameterizedTest(name = "{0}")
	@MethodSource("names")
	@DisplayName("Each mutation of the simulation applies to the current code at exactly one place")
	void fits(String name) throws IOException {
		Map<Path, String> changed = Mutation.named(name).apply(Path.of(""));
		assertThat(changed).as("files that %s changes", name).isNotEmpty();
		for (Map.Entry<Path, String> each : changed.entrySet()) {
			assertThat(each.getValue()).isNotEqualTo(Files.readString(each.getKey()));
		}
	}

	static List<String> names() throws IOException {
		return Mutation.names();
	}

	@BeforeEach
	void writeDoor() throws IOException {
		write(FILE, DOOR);
	}

	private void write(Path file, String source) throws IOException {
		Path path = this.module.resolve(file);
		Files.createDirectories(path.getParent());
		Files.writeString(path, source);
	}

	private Map<Path, String> apply(String mutation) {
		return Mutation.parse("54-door", mutation.lines().toList()).apply(this.module);
	}

	private static String change(String code, String replacement) {
		assertThat(DOOR.split("\\Q" + code, -1)).as(code).hasSize(2);
		return DOOR.replace(code, replacement);
	}

	@Nested
	@DisplayName("A mutation changes only its code")
	class Fits {

		private static final String MUTATION = """
				Door#open
				- key < KEYS || this.locked
				+ key < KEYS
				""";

		private static final String CODE = "(key < KEYS || this.locked) {";

		@Test
		@DisplayName("as written, and not in the file itself")
		void asWritten() throws IOException {
			assertThat(apply(MUTATION)).containsExactly(Map.entry(FILE, change(CODE, "(key < KEYS) {")));
			assertThat(MutationsTests.this.module.resolve(FILE)).hasContent(DOOR);
		}

		@Test
		@DisplayName("when the type is in another package, in code of tests")
		void moved() throws IOException {
			Files.delete(MutationsTests.this.module.resolve(FILE));
			Path file = Path.of("src/test/java/garden/Door.java");
			write(file, DOOR.replace("house.front", "garden"));
			assertThat(apply(MUTATION)).containsOnlyKeys(file);
		}

		@Test
		@DisplayName("when all lines around it are different")
		void changedAround() throws IOException {
			String before = "class Door { int doors; @Override public final boolean open(Key key) throws Lost { log(); if ";
			String after = " return reject(); } } }";
			write(FILE, before + CODE + after);
			assertThat(apply(MUTATION)).containsValue(before + "(key < KEYS) {" + after);
		}

		@ParameterizedTest
		@ValueSource(strings = { "(key<KEYS||this.locked){", "(key < KEYS\n\t\t\t\t|| this\n\t\t.locked) {",
				"(key < KEYS // smaller\n || /* not */ this.locked) {" })
		@DisplayName("when it is formatted differently, or has comments")
		void reformatted(String code) throws IOException {
			write(FILE, change(CODE, code));
			assertThat(apply(MUTATION)).containsValue(change(CODE, code.replaceAll("(?s)key.*locked", "key < KEYS")));
		}

		@ParameterizedTest
		@ValueSource(strings = { "\"// \\\"\"", "'\\'' + '\"'", "\"\"\"\n\" + key \\\"\"\" \"\"\"" })
		@DisplayName("when it stands next to texts that look like code or comments")
		void besideTexts(String text) throws IOException {
			String before = "class Door { String open() { return " + text;
			write(FILE, before + " + key + \".\"; } }");
			assertThat(apply("Door#open\n- + key\n+ + 1")).containsValue(before + " + 1 + \".\"; } }");
		}

		@Test
		@DisplayName("when it has several lines, and nothing replaces it")
		void severalLines() {
			assertThat(apply("""
					Door#open
					- if (key < KEYS
					- 	|| this.locked) {
					-
					- 	return false;
					- }
					"""))
				.containsValue(change("if (key < KEYS || this.locked) {\n\t\t\treturn false; // too small\n\t\t}", ""));
		}

		@Test
		@DisplayName("in several places of several types")
		void severalPlaces() throws IOException {
			Path key = Path.of("src/test/java/house/Key.java");
			write(key, "class Key { int size = 1; }");
			assertThat(apply("""
					Door#open
					- this.locked
					+ false
					- return false;
					+ return true;

					Key#size
					- 1
					+ 2
					""")).containsOnly(Map.entry(key, "class Key { int size = 2; }"), Map.entry(FILE,
					DOOR.replace("return false;", "return true;").replace(CODE, "(key < KEYS || false) {")));
		}

		@ParameterizedTest
		@CsvSource(delimiter = '!', quoteCharacter = '`', textBlock = """
				Door#Door            ! this.name            ! this.name = name;
				Door#KEYS            ! 2                    ! KEYS = 2
				Door#turn(int)       ! KEYS                 ! key == KEYS
				Door#turn( String )  ! Integer.parseInt(key) ! turn(Integer.parseInt(key))
				Door.Lock#open       ! KEYS + 1             ! > KEYS + 1
				front.Door.Lock#open ! KEYS && key > KEYS   ! KEYS && key > KEYS
				""")
		@DisplayName("in a constructor, a field, one of several methods, and a nested type")
		void otherPlaces(String place, String code, String context) {
			assertThat(apply("%s\n- %s\n+ other".formatted(place, code)))
				.containsValue(change(context, context.replace(code, "other")));
		}

	}

	@Nested
	@DisplayName("A mutation is rejected, with what to do,")
	class Rejected {

		private void assertRejected(String mutation, String... message) {
			assertThatIllegalArgumentException().isThrownBy(() -> apply(mutation))
				.withMessageContainingAll(message)
				.withMessageContainingAll("54-door does not fit the code any more",
						"Change src/test/simulation/mutations/54-door.txt",
						"check that `src/test/simulation/mutate 300 54-door` finds it");
		}

		@Test
		@DisplayName("if its type does not exist")
		void unknownType() {
			assertRejected("Gate#open\n- key", "There is no type Gate with code in [src/main/java, src/test/java]");
			assertRejected("back.Door#open\n- key", "There is no type back.Door");
			assertRejected("nt.Door#open\n- key", "There is no type nt.Door");
			assertRejected("Door.Bell#open\n- key", "There is no type Door.Bell");
		}

		@Test
		@DisplayName("if its method does not exist")
		void unknownMethod() {
			assertRejected("Door#shut\n- key", "There is no method, constructor or field Door#shut",
					"\thouse.front.Door#KEYS\n", "\thouse.front.Door#Door(String)\n", "\thouse.front.Door#turn(int)\n");
			assertRejected("Door#turn(long)\n- key", "There is no method, constructor or field Door#turn(long)");
			assertRejected("turn\n- key", "'turn' is not written as Type#method");
		}

		@Test
		@DisplayName("if there are several such methods")
		void ambiguousMethod() {
			assertRejected("Door#turn\n- key", """
					Door#turn is not the only one. Add the types of the parameters, or a package. Write one of:
						house.front.Door#turn(int)
						house.front.Door#turn(String)
					""");
		}

		@Test
		@DisplayName("if several types with such a method have the same name")
		void ambiguousType() throws IOException {
			write(Path.of("src/test/java/house/back/Door.java"), DOOR.replace("front", "back"));
			assertRejected("Door#open\n- key < KEYS", "house.front.Door#open(int)\n", "house.back.Door#open(int)\n");
			assertThat(apply("front.Door#open\n- || this.locked")).containsOnlyKeys(FILE);
		}

		@ParameterizedTest
		@ValueSource(strings = { "key > KEYS", "= KEYS", "KEY", "return turn(key, key)", "// too small" })
		@DisplayName("if the method does not contain its code, or only parts of its words and operators")
		void missing(String code) {
			assertRejected("Door#turn(int)\n- " + code, "Door#turn(int) does not contain this code:\n" + code);
		}

		@Test
		@DisplayName("if the method contains its code twice")
		void twice() {
			assertRejected("Door.Lock#open\n- key > KEYS",
					"Door.Lock#open contains this code more than once. Add code before or after it:\nkey > KEYS");
		}

		@Test
		@DisplayName("if the source does not parse afterwards")
		void unparsable() {
			assertRejected("Door#open\n- return turn(key);\n+ return turn(key;", FILE + " does not parse", "')'");
		}

		@ParameterizedTest
		@ValueSource(strings = { "- key", "Door#open\n+ key", "+ key\n- key" })
		@DisplayName("if it does not say what is replaced, and where")
		void incomplete(String mutation) {
			assertThatIllegalArgumentException().isThrownBy(() -> apply(mutation))
				.withMessageStartingWith("54-door: a place and the code to replace have to come before");
		}

	}

}
