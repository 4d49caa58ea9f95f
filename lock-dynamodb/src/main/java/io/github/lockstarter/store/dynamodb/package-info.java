/**
 * The lock store in DynamoDB.
 */
@NullMarked
package io.github.lockstarter.store.dynamodb;

import org.jspecify.annotations.NullMarked;
