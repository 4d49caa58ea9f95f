package io.github.lockstarter;

import java.util.Random;
import java.util.concurrent.ScheduledExecutorService;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

/**
 * The permitted dependencies between packages of this module. Rules for all modules are
 * in {@code lock-spring-boot-autoconfigure}.
 */
@AnalyzeClasses(packages = "io.github.lockstarter", importOptions = DoNotIncludeTests.class)
class CoreArchitectureTests {

	private static final String ROOT = "io.github.lockstarter";

	@ArchTest
	static final ArchRule rootKnowsNoRoom = noClasses().that()
		.resideInAPackage(ROOT)
		.should()
		.dependOnClassesThat()
		.resideInAPackage(ROOT + ".*..");

	@ArchTest
	static final ArchRule roomsOfTheEngineKnowOnlyThoseBehindThem = layeredArchitecture()
		.consideringOnlyDependenciesInAnyPackage(ROOT + ".registry..")
		.layer("registry")
		.definedBy(ROOT + ".registry")
		.layer("entry")
		.definedBy(ROOT + ".registry.entry")
		.layer("lease")
		.definedBy(ROOT + ".registry.lease")
		.layer("acquisition")
		.definedBy(ROOT + ".registry.acquisition")
		.layer("sharing")
		.definedBy(ROOT + ".registry.sharing")
		.layer("observe")
		.definedBy(ROOT + ".registry.observe")
		.layer("runtime")
		.definedBy(ROOT + ".registry.runtime")
		.whereLayer("registry")
		.mayNotBeAccessedByAnyLayer()
		.whereLayer("entry")
		.mayOnlyBeAccessedByLayers("registry")
		.whereLayer("lease")
		.mayOnlyBeAccessedByLayers("registry", "entry")
		.whereLayer("acquisition")
		.mayOnlyBeAccessedByLayers("registry", "entry", "lease")
		.whereLayer("sharing")
		.mayNotAccessAnyLayer()
		.whereLayer("observe")
		.mayOnlyBeAccessedByLayers("registry", "entry", "lease", "acquisition");

	@ArchTest
	static final ArchRule theEngineTakesItsTimeAndRandomnessFromOutside = noClasses().that()
		.resideInAPackage(ROOT + ".registry..")
		.and()
		.doNotHaveSimpleName("ThreadedRuntime")
		.should()
		.callMethod(System.class, "nanoTime")
		.orShould()
		.callMethod(System.class, "currentTimeMillis")
		.orShould()
		.dependOnClassesThat()
		.areAssignableTo(Random.class)
		.orShould()
		.dependOnClassesThat()
		.areAssignableTo(ScheduledExecutorService.class);

}
