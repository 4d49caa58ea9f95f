package io.github.lockstarter.web.reactive;

import java.util.function.Supplier;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.reactive.DispatchExceptionHandler;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.reactive.result.method.annotation.ResponseEntityResultHandler;

/**
 * Finds components of the application that observe a conflict, or change its answer, only
 * if Spring WebFlux handles the error signal.
 */
public final class ConflictObservers {

	/** The name of the bean that writes entities. */
	public static final String ENTITIES = "responseEntityResultHandler";

	private final Supplier<Boolean> found;

	/**
	 * Creates an instance, which searches for the components at the first conflict.
	 * @param beans the beans of the application
	 */
	public ConflictObservers(ListableBeanFactory beans) {
		this.found = SingletonSupplier.of(() -> !beans.containsBean(ENTITIES) || changesAnswers(beans.getBean(ENTITIES))
				|| beans.getBeanProvider(HandlerResultHandler.class).stream().anyMatch(ConflictObservers::isForeign)
				|| beans.getBeanProvider(DispatchExceptionHandler.class)
					.stream()
					.anyMatch((handler) -> handler.getClass() != RequestMappingHandlerAdapter.class));
	}

	private static boolean changesAnswers(Object entities) {
		return entities.getClass() != ResponseEntityResultHandler.class
				|| !((ResponseEntityResultHandler) entities).getErrorResponseInterceptors().isEmpty();
	}

	private static boolean isForeign(HandlerResultHandler handler) {
		return !(handler instanceof DeferredResponseEntityHandler)
				&& !handler.getClass().getName().startsWith("org.springframework.web.reactive.");
	}

	/** Returns whether the application has any. */
	boolean exist() {
		return this.found.get();
	}

}
