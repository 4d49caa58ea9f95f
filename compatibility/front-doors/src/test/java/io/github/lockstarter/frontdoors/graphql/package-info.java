/**
 * Locks of methods that Spring for GraphQL calls.
 */
@NullMarked
package io.github.lockstarter.frontdoors.graphql;

import org.jspecify.annotations.NullMarked;
