package io.github.lockstarter.result;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Collects emitted values as long as they can be shared, so that an infinite stream does
 * not exhaust the memory.
 */
public final class EmittedValues {

	private final List<Object> all = new ArrayList<>();

	private final ResultSharing sharing;

	private final BoundedOutput size;

	private boolean shareable;

	EmittedValues(ResultSharing sharing, BoundedOutput size, boolean shareable) {
		this.sharing = sharing;
		this.size = size;
		this.shareable = shareable;
	}

	/** Adds the next value. */
	public void add(Object value) {
		if (!this.shareable) {
			return;
		}
		this.all.add(value);
		this.shareable = this.sharing.writeOne(value, this.size);
		if (!this.shareable) {
			this.all.clear();
		}
	}

	/**
	 * Returns the text of all values, like
	 * {@link ResultSharing#writeValue(Caller, Object, Integer)}.
	 */
	public @Nullable String write(Caller caller) {
		return this.shareable ? this.sharing.writeValue(caller, this.all, null) : this.sharing.writePending(caller);
	}

}
