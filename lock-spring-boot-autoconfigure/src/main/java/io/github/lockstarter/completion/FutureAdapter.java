package io.github.lockstarter.completion;

import java.util.concurrent.Future;

/**
 * Adapts a {@link Future} that does not notify of its completion, so it has to be done
 * already.
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
					"it returned a %s that is not done, and does not notify of its completion"
						.formatted(result.getClass().getSimpleName()));
		}
		leases.close();
		return result;
	}

}
