package io.github.lockstarter.aop;

import java.util.concurrent.Future;

import io.github.lockstarter.LockConfigurationException;

/**
 * A {@link Future} that does not tell when it is done, so it has to be done already.
 */
final class FutureWork implements Work {

	@Override
	public boolean supports(Class<?> type) {
		return Future.class.isAssignableFrom(type);
	}

	@Override
	public Object guard(LockedCall call, Object result, Holding holding) {
		if (!((Future<?>) result).isDone()) {
			throw Works.unsupported(call.method().method(),
					"returned a %s that is not done, and does not tell when it is"
						.formatted(result.getClass().getSimpleName()));
		}
		holding.close();
		return result;
	}

}
