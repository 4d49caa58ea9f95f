package io.github.lockstarter.sample;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

class StarterTests {

	@Test
	@DisplayName("The starter brings the Redis driver, and no other driver")
	void drivers() {
		assertThat("io.lettuce.core.RedisClient").matches(StarterTests::isPresent);
		assertThat(new String[] { "com.spotify.folsom.MemcacheClient",
				"software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient", "software.amazon.awssdk.core.SdkClient",
				"redis.clients.jedis.Jedis" })
			.noneMatch(StarterTests::isPresent);
	}

	private static boolean isPresent(String type) {
		return ClassUtils.isPresent(type, null);
	}

}
