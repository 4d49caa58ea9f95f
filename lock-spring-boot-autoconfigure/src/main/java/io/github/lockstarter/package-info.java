/**
 * The API for applications: a registry that grants leases, and the exceptions for locks
 * that it cannot grant.
 */
@NullMarked
package io.github.lockstarter;

import org.jspecify.annotations.NullMarked;
