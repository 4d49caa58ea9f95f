package io.github.lockstarter.registry.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The events of a schedule in readable form. A trace is kept only when a schedule is
 * replayed from its seed.
 */
final class Trace {

	private final EventQueue events;

	private final boolean kept;

	private final List<String> lines = new ArrayList<>();

	Trace(EventQueue events, boolean kept) {
		this.events = events;
		this.kept = kept;
	}

	void add(String actor, Supplier<String> what) {
		if (this.kept) {
			this.lines.add("%12.3f ms  %-9s %s".formatted(this.events.now() / 1e6, actor, what.get()));
		}
	}

	List<String> lines() {
		return this.lines;
	}

}
