/**
 * The page that demonstrates the locks: it sends concurrent requests for one user name to
 * the running instances, and draws their executions on a timeline.
 */
@NullMarked
package io.github.lockstarter.sample.demo;

import org.jspecify.annotations.NullMarked;
