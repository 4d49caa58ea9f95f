/**
 * Locks in Spring for GraphQL: errors for lock exceptions, {@code Lease} parameters, and
 * the HTTP request on every thread.
 */
@NullMarked
package io.github.lockstarter.web.graphql;

import org.jspecify.annotations.NullMarked;
