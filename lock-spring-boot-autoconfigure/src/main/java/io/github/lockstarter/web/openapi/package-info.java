/**
 * The answers and headers of annotated handlers in an OpenAPI document.
 */
@NullMarked
package io.github.lockstarter.web.openapi;

import org.jspecify.annotations.NullMarked;
