package io.github.lockstarter.service;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import io.github.lockstarter.web.LockProblems;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

@AnalyzeClasses(packagesOf = LockServiceApplication.class, importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

	private static final String SERVICE = LockServiceApplication.class.getPackageName();

	private static final String LIBRARY = "io.github.lockstarter";

	/** The service contains no lock logic. */
	@ArchTest
	static final ArchRule usesWhatUsersImport = noClasses().should()
		.dependOnClassesThat(describe("are inside of the library", ArchitectureTests::isInsideOfLibrary));

	@ArchTest
	static final ArchRule clientsKnowNoLocks = noClasses().that()
		.resideInAPackage(SERVICE + ".client..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(SERVICE + ".lock..", SERVICE + ".web..");

	@ArchTest
	static final ArchRule locksKnowNoHttp = noClasses().that()
		.resideInAPackage(SERVICE + ".lock..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(SERVICE + ".web..", "org.springframework.web..", "reactor.netty..");

	@ArchTest
	static final ArchRule noCycles = slices().matching(SERVICE + ".(*)..").should().beFreeOfCycles();

	private static boolean isInsideOfLibrary(JavaClass type) {
		// Users import it for exception handlers of their own.
		boolean imported = type.isEquivalentTo(LockProblems.class);
		return type.getPackageName().startsWith(LIBRARY + ".") && !type.getPackageName().startsWith(SERVICE)
				&& !imported;
	}

}
