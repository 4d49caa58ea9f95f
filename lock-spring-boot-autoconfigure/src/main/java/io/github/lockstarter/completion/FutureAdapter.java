package io.github.lockstarter.completion;

import java.util.concurrent.Future;

/**
 * A {@link Future} that does not tell when it is done, so it has to be done already.
 */
final class FutureAdapter implements CompletionAdapter {

	@Override
	public boolean supports(Class<?> type) {
		return Future.class.isAssignableFrom(type);
	}

	@Override
	public Object guard(GuardedCall call, Object result, HeldLeases leases) {
		if (!((Future<?>) result).isDone()) {
			throw CompletionAdapterRegistry.unsupported(call.returnType(),
					"returned a %s that is not done, and does not tell when it is"
						.formatted(result.getClass().getSimpleName()));
		}
		leases.close();
		return result;
	}

}
