package io.github.lockstarter.actuate;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationView;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

import io.github.lockstarter.registry.observe.LockObservationContext;

/**
 * Adds the name of the HTTP request to the observations of its locks: the method and the
 * path pattern, without values. The name is taken from the observation of the request.
 */
public final class RequestNames implements ObservationHandler<LockObservationContext> {

	private static final boolean SERVLET = ClassUtils.isPresent("jakarta.servlet.http.HttpServletRequest",
			RequestNames.class.getClassLoader());

	private static final boolean REACTIVE = ClassUtils.isPresent("reactor.core.publisher.Mono",
			RequestNames.class.getClassLoader());

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof LockObservationContext;
	}

	@Override
	public void onStart(LockObservationContext context) {
		ObservationView parent = context.getParentObservation();
		while (parent != null && context.request() == null) {
			context.request(name(parent.getContextView()));
			parent = parent.getContextView().getParentObservation();
		}
	}

	private static @Nullable String name(Observation.ContextView context) {
		String name = SERVLET ? ServletNames.name(context) : null;
		return (name == null && REACTIVE) ? ReactiveNames.name(context) : name;
	}

	private static final class ServletNames {

		static @Nullable String name(Observation.ContextView view) {
			return (view instanceof org.springframework.http.server.observation.ServerRequestObservationContext request
					&& request.getCarrier() != null && request.getPathPattern() != null)
							? request.getCarrier().getMethod() + " " + request.getPathPattern() : null;
		}

	}

	private static final class ReactiveNames {

		static @Nullable String name(Observation.ContextView view) {
			return (view instanceof org.springframework.http.server.reactive.observation.ServerRequestObservationContext request
					&& request.getCarrier() != null && request.getPathPattern() != null)
							? request.getCarrier().getMethod() + " " + request.getPathPattern() : null;
		}

	}

}
