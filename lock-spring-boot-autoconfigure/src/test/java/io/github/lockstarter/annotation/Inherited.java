package io.github.lockstarter.annotation;

/**
 * Superclasses in another package. Most of their methods only that can override.
 */
public final class Inherited {

	private Inherited() {
	}

	/** Has an annotation that subclasses in other packages cannot apply. */
	public static class Annotated {

		@ExclusiveRequest
		void method() {
		}

	}

	/** Has an annotation that subclasses apply. */
	public static class AnnotatedProtected {

		@ExclusiveRequest
		protected void method() {
		}

	}

	/** Has no annotation. */
	public static class Plain {

		void method(int any) {
		}

	}

}
