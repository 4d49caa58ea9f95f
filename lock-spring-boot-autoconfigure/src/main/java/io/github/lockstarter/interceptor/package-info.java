/**
 * The advice: acquires the locks of a call, proceeds, and releases them. It knows neither
 * Servlet nor WebFlux, which plug in as
 * {@link io.github.lockstarter.interceptor.RequestSupport} and
 * {@link io.github.lockstarter.interceptor.ReactiveRequestSupport}.
 */
@NullMarked
package io.github.lockstarter.interceptor;

import org.jspecify.annotations.NullMarked;
