package io.github.lockstarter.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

import io.github.lockstarter.store.ResultLimits;

/**
 * Properties of the memory store.
 *
 * @param maxResults Largest number of results that the memory store keeps. Beyond it, the
 * oldest is dropped, and a later duplicate runs again.
 * @param maxMemory Most memory that the results in the memory store use. Beyond it, the
 * oldest is dropped. Default is a tenth of the largest heap.
 */
@ConfigurationProperties("lock.replay")
record MemoryProperties(@DefaultValue("100000") int maxResults, @Nullable DataSize maxMemory) {

	MemoryProperties {
		LockProperties.check("lock.replay.max-results", (long) maxResults, MemoryProperties::checkPositive);
		LockProperties.check("lock.replay.max-memory", maxMemory, (size) -> checkPositive(size.toBytes()));
	}

	private static void checkPositive(long limit) {
		Assert.isTrue(limit > 0, "It must be positive");
	}

	ResultLimits limits() {
		return new ResultLimits(this.maxResults,
				(this.maxMemory != null) ? this.maxMemory.toBytes() : ResultLimits.tenthOfHeap());
	}

}
