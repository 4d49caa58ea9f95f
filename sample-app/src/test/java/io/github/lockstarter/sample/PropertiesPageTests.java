package io.github.lockstarter.sample;

import java.io.IOException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.testing.PropertiesPage;

/**
 * The reference of the properties of the sample is what its metadata say.
 */
@Tag("once")
class PropertiesPageTests {

	@Test
	@DisplayName("docs/reference/properties.md has the properties of the metadata, with their defaults and descriptions")
	void metadata() throws IOException {
		PropertiesPage.assertUpToDate("sample-app");
	}

}
