/**
 * The code of {@code docs/recipes.md} and {@code docs/first-application.md}, and tests of
 * what those pages say about it.
 */
package io.github.lockstarter.recipes;
