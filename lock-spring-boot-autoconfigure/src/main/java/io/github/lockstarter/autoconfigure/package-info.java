/**
 * Spring Boot auto-configuration: properties in, beans out.
 */
@NullMarked
package io.github.lockstarter.autoconfigure;

import org.jspecify.annotations.NullMarked;
