package io.github.lockstarter.web.servlet;

import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;

import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;

import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.completion.CompletionAdapterRegistry;
import io.github.lockstarter.completion.GuardedCall;
import io.github.lockstarter.completion.HandledRequest;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.LeaseContext;

/**
 * Runs the task of a request under its leases. A second task follows if the first one
 * returns a task.
 */
record TaskInterceptor(HandledRequest handled, GuardedCall call,
		HeldLeases leases) implements CallableProcessingInterceptor {

	@Override
	public <T> void preProcess(NativeWebRequest request, Callable<T> task) {
		if (!this.leases.begin()) {
			throw new CancellationException("The request ended before the task began");
		}
		try {
			LeaseContext.push(this.leases);
		}
		catch (LeaseLostException ex) {
			this.leases.close();
			throw ex;
		}
	}

	@Override
	public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object result) {
		LeaseContext.pop();
		CompletionAdapterRegistry.passOnAsIs(this.call, this.handled, result, this.leases);
		this.leases.close();
	}

}
