/**
 * Lock exceptions as RFC 9457 problem details.
 */
@NullMarked
package io.github.lockstarter.web;

import org.jspecify.annotations.NullMarked;
