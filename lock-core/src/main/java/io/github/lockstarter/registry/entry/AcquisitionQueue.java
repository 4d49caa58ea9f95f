package io.github.lockstarter.registry.entry;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.registry.acquisition.Acquisition;

/**
 * Acquisitions in the order of their arrival. The first one needs no memory: most locks
 * have only one acquisition at a time.
 */
class AcquisitionQueue {

	private @Nullable Acquisition head;

	/** Array-based, because there may be many waiters, and most leave at the head. */
	private @Nullable Queue<Acquisition> others;

	@Nullable Acquisition head() {
		return this.head;
	}

	boolean isEmpty() {
		return this.head == null;
	}

	void add(Acquisition acquisition) {
		if (this.head == null) {
			this.head = acquisition;
			return;
		}
		if (this.others == null) {
			this.others = new ArrayDeque<>();
		}
		this.others.add(acquisition);
	}

	/** Returns whether the acquisition was in the queue. */
	boolean remove(Acquisition acquisition) {
		if (acquisition != this.head) {
			return this.others != null && this.others.remove(acquisition);
		}
		this.head = (this.others != null) ? this.others.poll() : null;
		return true;
	}

	void forEach(Consumer<Acquisition> action) {
		if (this.head != null) {
			action.accept(this.head);
		}
		if (this.others != null) {
			this.others.forEach(action);
		}
	}

	List<Acquisition> toList() {
		List<Acquisition> all = new ArrayList<>();
		forEach(all::add);
		return all;
	}

}
