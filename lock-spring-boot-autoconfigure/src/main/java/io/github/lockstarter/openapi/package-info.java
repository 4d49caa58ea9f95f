/**
 * The description of annotated handlers in an OpenAPI document.
 */
@NullMarked
package io.github.lockstarter.openapi;

import org.jspecify.annotations.NullMarked;
