/**
 * Spring MVC support: handlers that wait without a thread, the end of a request, and
 * problem details.
 */
@NullMarked
package io.github.lockstarter.web.servlet;

import org.jspecify.annotations.NullMarked;
