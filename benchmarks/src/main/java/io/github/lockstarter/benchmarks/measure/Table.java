package io.github.lockstarter.benchmarks.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A table in Markdown.
 */
public final class Table {

	private final List<List<String>> rows = new ArrayList<>();

	public Table(Object... headers) {
		row(headers);
		this.rows.add(Stream.of(headers).map((header) -> "---").toList());
	}

	/** Adds a row. */
	public Table row(Object... cells) {
		this.rows.add(Stream.of(cells).map(String::valueOf).toList());
		return this;
	}

	@Override
	public String toString() {
		return this.rows.stream()
			.map((row) -> row.stream().collect(Collectors.joining(" | ", "| ", " |")))
			.collect(Collectors.joining("\n", "", "\n"));
	}

}
