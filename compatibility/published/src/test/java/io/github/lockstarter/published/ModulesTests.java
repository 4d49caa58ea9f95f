package io.github.lockstarter.published;

import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.module.ResolvedModule;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ModulesTests {

	@Test
	@DisplayName("Every published jar has a module name, and no package is in two of them")
	void modules() {
		List<String> names = Stream
			.of("core", "redis", "jdbc", "dynamodb", "memcached", "client", "autoconfigure", "starter", "starter.jdbc",
					"starter.dynamodb", "starter.memcached", "test", "store.test")
			.map((name) -> "io.github.lockstarter." + name)
			.toList();
		Set<Path> jars = jars();
		ModuleFinder finder = ModuleFinder.of(jars.toArray(Path[]::new));
		Configuration resolved = ModuleLayer.boot().configuration().resolve(finder, ModuleFinder.of(), names);
		assertThat(jars).hasSameSizeAs(names);
		assertThat(resolved.modules()).extracting(ResolvedModule::name).containsExactlyInAnyOrderElementsOf(names);
	}

	@Test
	@DisplayName("The BOM has every published module and nothing else")
	void bom() {
		assertThat(PublishedPom.modules()).contains("lock-spring-boot-redis")
			.filteredOn((module) -> !module.equals("lock-spring-boot-redis"))
			.containsExactlyInAnyOrderElementsOf(jars().stream().map(SmallProject::artifact).toList());
	}

	private static Set<Path> jars() {
		return Stream
			.of("plain", "client", "own-store", "boot/redis", "boot/jdbc", "boot/dynamodb", "boot/memcached",
					"boot/test")
			.flatMap((project) -> SmallProject.of(project).jars("test").stream())
			.filter((jar) -> jar.getFileName().toString().startsWith("lock-"))
			.collect(Collectors.toSet());
	}

}
