package io.github.lockstarter.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Properties of the DynamoDB store.
 *
 * @param table Name of the table. Applications with the same table share their locks.
 * @param createTable Whether to create the table at startup if it does not exist. This is
 * for development: an application in production should not be allowed to.
 * @param clockSkew Largest difference between the clocks of the instances. A lock whose
 * holder died is free up to twice this time after its ttl.
 * @param commandTimeout How long to wait for an answer from DynamoDB before the request
 * gets status 503.
 */
@ConfigurationProperties("lock.dynamodb")
record DynamoDbProperties(@DefaultValue("locks") String table, @DefaultValue("false") boolean createTable,
		@DefaultValue("500ms") Duration clockSkew, @DefaultValue("1s") Duration commandTimeout) {

	private static final Duration LARGEST_SKEW = Duration.ofHours(1);

	DynamoDbProperties {
		LockProperties.check("lock.dynamodb.table", table, DynamoDbProperties::checkTable);
		LockProperties.check("lock.dynamodb.clock-skew", clockSkew, DynamoDbProperties::checkSkew);
		LockProperties.check("lock.dynamodb.command-timeout", commandTimeout, LockProperties::checkTimeout);
	}

	private static void checkTable(String table) {
		Assert.hasText(table, "The name of a table must not be blank");
	}

	private static void checkSkew(Duration skew) {
		Assert.isTrue(!skew.isNegative() && skew.compareTo(LARGEST_SKEW) <= 0,
				"A clock skew must be at least 0ms and at most 1h");
	}

}
