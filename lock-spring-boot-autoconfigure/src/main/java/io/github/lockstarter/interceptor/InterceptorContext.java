package io.github.lockstarter.interceptor;

import io.github.lockstarter.LockRegistry;

/**
 * What all calls of annotated methods share.
 *
 * @param registry where to get locks from
 * @param waits the calls that wait while their chain holds other locks
 * @param observer takes note of calls that are skipped, or run without their lock
 */
record InterceptorContext(LockRegistry registry, WaitGraph waits, CallObserver observer) {

}
