package io.github.lockstarter.autoconfigure;

import java.io.IOException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.testing.PropertiesPage;

/**
 * The reference of the properties of the library is what its metadata say.
 */
class PropertiesPageTests {

	@Test
	@DisplayName("docs/reference/properties.md has the properties of the metadata, with their defaults and descriptions")
	void metadata() throws IOException {
		PropertiesPage.assertUpToDate("lock-spring-boot-autoconfigure");
	}

	@Test
	@DisplayName("It has every setting of a single lock")
	void names() throws IOException {
		PropertiesPage.assertHasAll(LockProperties.Named.class, "lock.names.<name>");
	}

}
