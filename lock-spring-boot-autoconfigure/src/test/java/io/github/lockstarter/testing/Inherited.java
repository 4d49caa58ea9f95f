package io.github.lockstarter.testing;

import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * Superclasses whose methods only this package can override.
 */
public final class Inherited {

	private Inherited() {
	}

	/** With an annotation that no subclass elsewhere can honour. */
	public static class Annotated {

		@ExclusiveRequest
		void method() {
		}

	}

	/** Without. */
	public static class Plain {

		void method(int any) {
		}

	}

}
