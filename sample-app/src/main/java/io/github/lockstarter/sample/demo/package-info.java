/**
 * The page that shows the locks at work: it fires requests for one user name at the
 * instances that run, and draws what they did.
 */
@NullMarked
package io.github.lockstarter.sample.demo;

import org.jspecify.annotations.NullMarked;
