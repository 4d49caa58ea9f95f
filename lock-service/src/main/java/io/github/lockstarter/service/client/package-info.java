/**
 * Who may use the service, and how much of it.
 */
@NullMarked
package io.github.lockstarter.service.client;

import org.jspecify.annotations.NullMarked;
