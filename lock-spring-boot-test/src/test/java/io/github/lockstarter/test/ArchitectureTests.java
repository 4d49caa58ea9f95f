package io.github.lockstarter.test;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import org.jspecify.annotations.NullMarked;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/**
 * The permitted dependencies within this module, and between it and the library.
 */
@AnalyzeClasses(packages = "io.github.lockstarter", importOptions = DoNotIncludeTests.class)
class ArchitectureTests {

	private static final String TEST = "io.github.lockstarter.test";

	@ArchTest
	static final ArchRule theLibraryKnowsNothingForTests = noClasses().that()
		.resideOutsideOfPackage(TEST)
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(TEST, "org.springframework.boot.test..", "org.springframework.test..", "org.assertj..");

	@ArchTest
	static final ArchRule onlyAssertionsKnowAssertJ = noClasses().that()
		.resideInAPackage(TEST)
		.and()
		.haveSimpleNameNotEndingWith("Assert")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.assertj..");

	@ArchTest
	static final ArchRule noLibraryForTestsIsNeededButSpringAndAssertJ = noClasses().that()
		.resideInAPackage(TEST)
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.junit..", "org.mockito..", "org.awaitility..", "org.hamcrest..");

	@ArchTest
	static final ArchRule onlyAssertionsKnowTheAssertions = noClasses().that()
		.resideInAPackage(TEST)
		.and()
		.haveSimpleNameNotEndingWith("Assert")
		.and()
		.doNotHaveSimpleName("LockAssertions")
		.should()
		.dependOnClassesThat(resideInAPackage(TEST).and(simpleNameEndingWith("Assert")));

	@ArchTest
	static final ArchRule packagesAreNullMarked = classes().that()
		.resideInAPackage(TEST)
		.should(ArchCondition.from(DescribedPredicate.describe("be in a null-marked package",
				(JavaClass type) -> type.getPackage().isAnnotatedWith(NullMarked.class))));

}
