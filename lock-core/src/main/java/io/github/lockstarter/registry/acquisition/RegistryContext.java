package io.github.lockstarter.registry.acquisition;

import io.github.lockstarter.registry.observe.RegistryObserver;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.registry.runtime.OwnerTokens;

/**
 * What all acquisitions and locks of a registry share.
 *
 * @param runtime the clock, the threads, the alarms and the randomness
 * @param observer counts and reports what happens
 * @param owners draws owner tokens
 */
public record RegistryContext(EngineRuntime runtime, RegistryObserver observer, OwnerTokens owners) {
}
