/**
 * What the engine offers to callers that share results: a registry that grants a lock or
 * returns a result, and leases that store one.
 */
@NullMarked
package io.github.lockstarter.registry.sharing;

import org.jspecify.annotations.NullMarked;
