/**
 * Locks of methods of gRPC services.
 */
@NullMarked
package io.github.lockstarter.frontdoors.grpc;

import org.jspecify.annotations.NullMarked;
