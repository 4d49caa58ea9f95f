package io.github.lockstarter.store.redis;

import com.tngtech.archunit.core.importer.ImportOption.OnlyIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import io.github.lockstarter.testing.ServerGroups;

/**
 * The tests of this module are in the groups of their servers.
 */
@AnalyzeClasses(packages = "io.github.lockstarter", importOptions = OnlyIncludeTests.class)
class ServerGroupsTests {

	@ArchTest
	static final ArchRule redis = ServerGroups.redis(RedisInstance.class);

	@ArchTest
	static final ArchRule sharedRedis = ServerGroups.sharedRedis(TestConnections.class);

}
