package io.github.lockstarter.published;

import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the published POMs ask for. Gradle takes the higher one of that and what a plain
 * {@code platform} of the application has: that must be the one of the application,
 * whichever supported Spring Boot it has.
 */
class PublishedPomTests {

	/** Other groups have the versions of the lowest supported Spring Boot. */
	private static final List<String> OWN_VERSIONS = List.of("io.github.lockstarter", "org.ow2.asm", "com.spotify",
			"software.amazon.awssdk", "org.checkerframework");

	/** The versions of the lowest supported Spring Boot, by folders in a repository. */
	private static final Map<Path, String> lowest = new HashMap<>();

	@BeforeAll
	static void read() {
		PublishedPom.lowest().forEach((managed) -> lowest.put(managed.folder(), managed.version()));
	}

	static List<String> modules() {
		return PublishedPom.modules();
	}

	@ParameterizedTest
	@MethodSource("modules")
	@DisplayName("A POM has no parent, but all that Maven Central asks for")
	void complete(String module) {
		assertThat(PublishedPom.of(module).elements())
			.contains("name", "description", "url", "licenses", "developers", "scm", "dependencies")
			.doesNotContain("parent", "repositories", "dependencyManagement", "build", "profiles", "properties");
	}

	@Test
	@DisplayName("The BOM has no parent either, whose versions an application would import")
	void bom() {
		assertThat(PublishedPom.of("lock-bom").elements())
			.contains("name", "description", "url", "licenses", "developers", "scm", "dependencyManagement")
			.doesNotContain("parent", "repositories", "dependencies", "build", "profiles", "properties");
	}

	@ParameterizedTest
	@MethodSource("modules")
	@DisplayName("A POM asks for what the lowest supported Spring Boot manages, optional or not")
	void asksForTheLowest(String module) {
		assertThat(PublishedPom.of(module).dependencies()).isNotEmpty().allSatisfy((dependency) -> {
			assertThat(dependency.scope()).isNotEqualTo("test");
			assertThat(dependency.version()).matches("\\d.*")
				.isEqualTo(OWN_VERSIONS.contains(dependency.group()) ? dependency.version()
						: lowest.get(dependency.folder()));
		});
	}

	@Test
	@DisplayName("Drivers that Spring Boot does not manage ask for nothing higher than the lowest one manages")
	void driversAskForNothingHigher() {
		List<Path> jars = SmallProject.of("drivers")
			.jars("runtime")
			.stream()
			.filter((jar) -> lowest.containsKey(artifactOf(jar)))
			.toList();
		assertThat(jars).extracting(SmallProject::artifact).contains("netty-handler", "slf4j-api");
		assertThat(jars).allSatisfy((jar) -> assertThat(Version.parse(jar.getParent().getFileName().toString()))
			.isLessThanOrEqualTo(Version.parse(lowest.get(artifactOf(jar)))));
	}

	/** Returns the folder of the artifact in a repository, with all its versions. */
	private static Path artifactOf(Path jar) {
		Path folder = jar.getParent().getParent();
		return lowest.keySet().stream().filter(folder::endsWith).findFirst().orElse(folder);
	}

}
