/**
 * The HTTP interface.
 */
@NullMarked
package io.github.lockstarter.service.web;

import org.jspecify.annotations.NullMarked;
