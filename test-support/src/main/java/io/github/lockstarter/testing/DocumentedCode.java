package io.github.lockstarter.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The code on a page of the documentation, and the code of tests.
 */
public final class DocumentedCode {

	private static final Pattern BLOCK = Pattern.compile("^```java\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

	private DocumentedCode() {
	}

	/** Returns the blocks of Java on a page. */
	public static List<String> blocks(Path page) throws IOException {
		return BLOCK.matcher(Files.readString(page)).results().map((block) -> block.group(1)).toList();
	}

	/** Returns the source of a class from the given text on. */
	public static String source(Path file, String begin) throws IOException {
		String source = Files.readString(file);
		return source.substring(source.indexOf(begin));
	}

}
