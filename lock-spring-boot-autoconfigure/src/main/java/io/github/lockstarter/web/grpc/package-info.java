/**
 * Locks in Spring gRPC: status codes for lock exceptions.
 */
@NullMarked
package io.github.lockstarter.web.grpc;

import org.jspecify.annotations.NullMarked;
