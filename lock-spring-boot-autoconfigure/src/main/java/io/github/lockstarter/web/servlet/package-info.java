/**
 * Problem details for Spring MVC.
 */
@NullMarked
package io.github.lockstarter.web.servlet;

import org.jspecify.annotations.NullMarked;
