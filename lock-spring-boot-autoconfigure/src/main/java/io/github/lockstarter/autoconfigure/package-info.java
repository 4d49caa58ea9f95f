/**
 * The Spring Boot auto-configuration and its properties.
 */
@NullMarked
package io.github.lockstarter.autoconfigure;

import org.jspecify.annotations.NullMarked;
