package io.github.lockstarter;

import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import org.jspecify.annotations.NullMarked;

import org.springframework.web.server.ResponseStatusException;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/**
 * The permitted dependencies between packages of all modules, as far as the compiler does
 * not know them.
 */
@AnalyzeClasses(packages = "io.github.lockstarter", importOptions = ArchitectureTests.OnlyIncludeTheLibrary.class)
class ArchitectureTests {

	private static final String ROOT = "io.github.lockstarter";

	@ArchTest
	static final ArchRule roomsOfTheAdviceKnowOnlyThoseBehindThem = layeredArchitecture()
		.consideringOnlyDependenciesInAnyPackage(ROOT + "..")
		.layer("openapi")
		.definedBy(ROOT + ".openapi")
		.layer("web")
		.definedBy(ROOT + ".web..")
		.layer("actuate")
		.definedBy(ROOT + ".actuate")
		.layer("idempotency")
		.definedBy(ROOT + ".idempotency")
		.layer("interceptor")
		.definedBy(ROOT + ".interceptor")
		.layer("operation")
		.definedBy(ROOT + ".operation")
		.layer("key")
		.definedBy(ROOT + ".key")
		.layer("completion")
		.definedBy(ROOT + ".completion")
		.layer("result")
		.definedBy(ROOT + ".result")
		.layer("autoconfigure")
		.definedBy(ROOT + ".autoconfigure")
		.whereLayer("openapi")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("web")
		.mayOnlyBeAccessedByLayers("autoconfigure", "openapi")
		.whereLayer("idempotency")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("interceptor")
		.mayOnlyBeAccessedByLayers("autoconfigure", "web", "actuate", "idempotency")
		.whereLayer("operation")
		.mayOnlyBeAccessedByLayers("autoconfigure", "openapi", "web", "interceptor")
		.whereLayer("key")
		.mayOnlyBeAccessedByLayers("autoconfigure", "openapi", "web", "idempotency", "interceptor", "operation")
		.whereLayer("completion")
		.mayOnlyBeAccessedByLayers("autoconfigure", "web", "idempotency", "interceptor", "operation", "key")
		.whereLayer("result")
		.mayOnlyBeAccessedByLayers("autoconfigure", "openapi", "web", "idempotency", "interceptor", "operation", "key",
				"completion");

	@ArchTest
	static final ArchRule theAdviceKnowsNoWebFramework = noClasses().that()
		.resideInAnyPackage(ROOT + ".idempotency", ROOT + ".interceptor", ROOT + ".operation", ROOT + ".key",
				ROOT + ".completion", ROOT + ".result")
		.should()
		.dependOnClassesThat(JavaClass.Predicates
			.resideInAnyPackage("jakarta.servlet..", "org.springframework.web.servlet..",
					"org.springframework.web.reactive..", "org.springframework.web.server..",
					"org.springframework.web.context..", "reactor.netty..")
			.and(not(belongToAnyOf(ResponseStatusException.class))));

	@ArchTest
	static final ArchRule onlyResultAndCompletionKnowTheEngine = noClasses().that()
		.resideInAnyPackage(ROOT + ".web..", ROOT + ".openapi", ROOT + ".idempotency", ROOT + ".interceptor",
				ROOT + ".operation", ROOT + ".key")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(ROOT + ".store..", ROOT + ".registry..");

	@ArchTest
	static final ArchRule resultAndCompletionKnowOnlyTheSharingOfTheRegistry = noClasses().that()
		.resideInAnyPackage(ROOT + ".completion", ROOT + ".result")
		.should()
		.dependOnClassesThat(
				resideInAPackage(ROOT + ".registry..").and(resideOutsideOfPackages(ROOT + ".registry.sharing")));

	@ArchTest
	static final ArchRule noOtherRoomKnowsTheClient = noClasses()
		.that(resideInAPackage(ROOT + "..").and(resideOutsideOfPackages(ROOT + ".client..", ROOT + ".autoconfigure")))
		.should()
		.dependOnClassesThat()
		.resideInAPackage(ROOT + ".client..");

	@ArchTest
	static final ArchRule graphQlStaysInItsRoom = classes()
		.that(resideInAPackage(ROOT + "..")
			.and(resideOutsideOfPackages(ROOT + ".web.graphql", ROOT + ".autoconfigure")))
		.should()
		.onlyDependOnClassesThat(
				resideOutsideOfPackages("graphql..", "org.springframework.graphql..", "io.micrometer.context.."));

	@ArchTest
	static final ArchRule grpcStaysInItsRoom = classes()
		.that(resideInAPackage(ROOT + "..").and(resideOutsideOfPackages(ROOT + ".web.grpc", ROOT + ".autoconfigure")))
		.should()
		.onlyDependOnClassesThat(resideOutsideOfPackages("io.grpc..", "org.springframework.grpc.."));

	@ArchTest
	static final ArchRule roomsOfTheWebKnowNothingOfEachOther = slices().matching(ROOT + ".web.(*)..")
		.should()
		.notDependOnEachOther();

	@ArchTest
	static final ArchRule nothingInternalOfSpringIsUsed = noClasses().should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.asm..", "org.springframework.cglib..",
				"org.springframework.objenesis..");

	@ArchTest
	static final ArchRule theClockOfTheApplicationMattersToNoLease = noClasses().that()
		.resideInAnyPackage(ROOT + ".registry..", ROOT + ".store.jdbc", ROOT + ".store.redis", ROOT + ".store")
		.should()
		.callMethod(System.class, "currentTimeMillis")
		.orShould()
		.dependOnClassesThat(belongToAnyOf(Instant.class, Clock.class, Date.class, InstantSource.class));

	@ArchTest
	static final ArchRule storesKnowNoOtherStore = slices().matching(ROOT + ".store.(*)..")
		.should()
		.notDependOnEachOther();

	@ArchTest
	static final ArchRule storesDoNotKnowTheEngine = noClasses().that()
		.resideInAPackage(ROOT + ".store..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage(ROOT + ".registry..");

	@ArchTest
	static final ArchRule storesAndTheirDriversStayInTheirRooms = classes()
		.that(resideInAPackage(ROOT + "..").and(resideOutsideOfPackages(ROOT + ".store.*..", ROOT + ".autoconfigure")))
		.should()
		.onlyDependOnClassesThat(resideOutsideOfPackages(ROOT + ".store.*..", "io.lettuce..",
				"org.springframework.data..", "software.amazon..", "com.spotify..", "com.google.common..", "java.sql..",
				"javax.sql..", "com.zaxxer..", "org.postgresql..", "org.springframework.jdbc.."));

	@ArchTest
	static final ArchRule springdocStaysInItsRoom = classes()
		.that(resideInAPackage(ROOT + "..").and(resideOutsideOfPackages(ROOT + ".openapi", ROOT + ".autoconfigure")))
		.should()
		.onlyDependOnClassesThat(resideOutsideOfPackages("org.springdoc..", "io.swagger.."));

	@ArchTest
	static final ArchRule theDocumentIsTheSameInServletAndReactive = noClasses().that()
		.resideInAPackage(ROOT + ".openapi")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(ROOT + ".web.(*)..", "jakarta.servlet..", "org.springframework.web.servlet..",
				"org.springframework.web.reactive..", "reactor..");

	@ArchTest
	static final ArchRule onlyAutoconfigureKnowsProperties = classes()
		.that(resideInAPackage(ROOT + "..").and(resideOutsideOfPackages(ROOT + ".autoconfigure")))
		.should()
		.onlyDependOnClassesThat(
				resideOutsideOfPackages(ROOT + ".autoconfigure", "org.springframework.boot.context.properties.."));

	@ArchTest
	static final ArchRule roomsHaveNoCycles = slices().matching(ROOT + ".(*)..").should().beFreeOfCycles();

	@ArchTest
	static final ArchRule theEngineAndItsStoresKnowNoHttp = noClasses().that()
		.resideInAnyPackage(ROOT + ".registry..", ROOT + ".store..")
		.or()
		.haveSimpleName("LockOptions")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.http..", "org.springframework.web..", "jakarta.servlet..");

	@ArchTest
	static final ArchRule nothingWaitsForTheTimerOfAllFuturesWhichTheApplicationMayBlock = noClasses().should()
		.callMethod(CompletableFuture.class, "orTimeout", long.class, TimeUnit.class)
		.orShould()
		.callMethod(CompletableFuture.class, "completeOnTimeout", Object.class, long.class, TimeUnit.class)
		.orShould()
		.callMethod(CompletableFuture.class, "delayedExecutor", long.class, TimeUnit.class)
		.orShould()
		.callMethod(CompletableFuture.class, "delayedExecutor", long.class, TimeUnit.class, Executor.class);

	@ArchTest
	static final ArchRule storeRoomsShowTheStoreAndItsSettings = classes().that()
		.resideInAnyPackage(ROOT + ".store.redis", ROOT + ".store.memory", ROOT + ".store.memcached",
				ROOT + ".store.dynamodb", ROOT + ".store.jdbc")
		.and()
		.haveSimpleNameNotEndingWith("LockStore")
		.and()
		.haveSimpleNameNotEndingWith("LockStoreSettings")
		.should()
		.notBePublic();

	@ArchTest
	static final ArchRule namesSayWhatTheyMean = noClasses().should()
		.haveNameMatching(".*(Impl|Utils?|Helper|Manager|Misc)");

	@ArchTest
	static final ArchRule packagesAreNullMarked = classes()
		.should(ArchCondition.from(DescribedPredicate.describe("be in a null-marked package",
				(JavaClass type) -> type.getPackage().isAnnotatedWith(NullMarked.class))));

	/** Leaves out tests, and modules for tests. */
	static final class OnlyIncludeTheLibrary implements ImportOption {

		@Override
		public boolean includes(Location location) {
			return !location.contains("/test-classes/") && !location.contains("/test-support")
					&& !location.contains("/lock-store-test");
		}

	}

}
