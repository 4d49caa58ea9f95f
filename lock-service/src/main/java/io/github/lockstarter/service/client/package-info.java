/**
 * The clients of the service, their API keys and their limits.
 */
@NullMarked
package io.github.lockstarter.service.client;

import org.jspecify.annotations.NullMarked;
