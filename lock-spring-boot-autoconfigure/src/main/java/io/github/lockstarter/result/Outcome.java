package io.github.lockstarter.result;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.registry.sharing.SharedLease;

/**
 * The outcome of an acquisition: the lock, or the result of another holder.
 *
 * @param lease the lease, or {@code null} if there is a result
 * @param result the result, if there is no lease
 */
public record Outcome(@Nullable SharedLease lease, @Nullable SharedResult result) {

}
