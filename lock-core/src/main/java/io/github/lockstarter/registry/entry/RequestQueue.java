package io.github.lockstarter.registry.entry;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.registry.request.AcquireRequest;

/**
 * Requests in the order of their arrival. The first one needs no memory: most locks have
 * only one request at a time.
 */
class RequestQueue {

	private @Nullable AcquireRequest head;

	/** Array-based, because there may be many waiters, and most leave at the head. */
	private @Nullable Queue<AcquireRequest> others;

	@Nullable AcquireRequest head() {
		return this.head;
	}

	boolean isEmpty() {
		return this.head == null;
	}

	void add(AcquireRequest request) {
		if (this.head == null) {
			this.head = request;
			return;
		}
		if (this.others == null) {
			this.others = new ArrayDeque<>();
		}
		this.others.add(request);
	}

	/** Returns whether the request was in the queue. */
	boolean remove(AcquireRequest request) {
		if (request != this.head) {
			return this.others != null && this.others.remove(request);
		}
		this.head = (this.others != null) ? this.others.poll() : null;
		return true;
	}

	void forEach(Consumer<AcquireRequest> action) {
		if (this.head != null) {
			action.accept(this.head);
		}
		if (this.others != null) {
			this.others.forEach(action);
		}
	}

	List<AcquireRequest> toList() {
		List<AcquireRequest> all = new ArrayList<>();
		forEach(all::add);
		return all;
	}

}
