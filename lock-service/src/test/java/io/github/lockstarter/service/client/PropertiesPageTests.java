package io.github.lockstarter.service.client;

import java.io.IOException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.testing.PropertiesPage;

/**
 * The reference of the properties of the service is what its metadata say.
 */
class PropertiesPageTests {

	@Test
	@DisplayName("docs/reference/properties.md has the properties of the metadata, with their defaults and descriptions")
	void metadata() throws IOException {
		PropertiesPage.assertUpToDate("lock-service");
	}

	@Test
	@DisplayName("It has every setting of a client")
	void clients() throws IOException {
		PropertiesPage.assertHasAll(ServiceProperties.Registered.class, "lock.service.clients.<client>");
	}

}
