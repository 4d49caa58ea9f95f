package io.github.lockstarter.interceptor;

import io.github.lockstarter.LockRegistry;

/**
 * The shared context of all calls of annotated methods.
 *
 * @param registry the registry that grants the locks
 * @param waits the calls that wait while their chain holds other locks
 * @param observer records calls that are refused, are skipped, or run without their lock
 */
record InterceptorContext(LockRegistry registry, WaitGraph waits, CallObserver observer) {

}
