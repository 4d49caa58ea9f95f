/**
 * The lock store in a SQL database.
 */
@NullMarked
package io.github.lockstarter.store.jdbc;

import org.jspecify.annotations.NullMarked;
