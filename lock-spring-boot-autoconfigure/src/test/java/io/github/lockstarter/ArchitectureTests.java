package io.github.lockstarter;

import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import org.jspecify.annotations.NullMarked;

import org.springframework.web.server.ResponseStatusException;

import io.github.lockstarter.registry.SharingRegistry;
import io.github.lockstarter.registry.request.SharedLease;

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
 * The permitted dependencies between packages.
 */
@AnalyzeClasses(packages = "io.github.lockstarter", importOptions = DoNotIncludeTests.class)
@ArchTag("once")
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
		.dependOnClassesThat(resideInAPackage(ROOT + ".registry..")
			.and(not(belongToAnyOf(SharingRegistry.class, SharedLease.class))));

	@ArchTest
	static final ArchRule theClientKnowsNoOtherRoom = noClasses().that()
		.resideInAPackage(ROOT + ".client..")
		.should()
		.dependOnClassesThat(resideInAPackage(ROOT + ".*..").and(resideOutsideOfPackages(ROOT + ".client..")));

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
	static final ArchRule rootKnowsNoRoom = noClasses().that()
		.resideInAPackage(ROOT)
		.should()
		.dependOnClassesThat()
		.resideInAPackage(ROOT + ".*..");

	@ArchTest
	static final ArchRule storesKnowNoOtherStore = slices().matching(ROOT + ".store.(*)..")
		.should()
		.notDependOnEachOther();

	@ArchTest
	static final ArchRule storesKnowOnlyRootAndSpi = noClasses().that()
		.resideInAPackage(ROOT + ".store..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(ROOT + ".annotation..", ROOT + ".interceptor..", ROOT + ".operation..", ROOT + ".key..",
				ROOT + ".completion..", ROOT + ".result..", ROOT + ".web..", ROOT + ".openapi..", ROOT + ".registry..");

	@ArchTest
	static final ArchRule theRedisDriverStaysInItsRoom = classes()
		.that(resideInAPackage(ROOT + "..")
			.and(resideOutsideOfPackages(ROOT + ".store.redis..", ROOT + ".autoconfigure")))
		.should()
		.onlyDependOnClassesThat(resideOutsideOfPackages("io.lettuce..", "org.springframework.data.."));

	@ArchTest
	static final ArchRule theDynamoDbDriverStaysInItsRoom = classes()
		.that(resideInAPackage(ROOT + "..")
			.and(resideOutsideOfPackages(ROOT + ".store.dynamodb", ROOT + ".autoconfigure")))
		.should()
		.onlyDependOnClassesThat(resideOutsideOfPackages("software.amazon.."));

	@ArchTest
	static final ArchRule jdbcStaysInItsRoom = classes()
		.that(resideInAPackage(ROOT + "..").and(resideOutsideOfPackages(ROOT + ".store.jdbc", ROOT + ".autoconfigure")))
		.should()
		.onlyDependOnClassesThat(resideOutsideOfPackages("java.sql..", "javax.sql..", "com.zaxxer..",
				"org.postgresql..", "org.springframework.jdbc.."));

	@ArchTest
	static final ArchRule theClockOfTheApplicationMattersToNoLease = noClasses().that()
		.resideInAnyPackage(ROOT + ".registry..", ROOT + ".store.jdbc", ROOT + ".store.redis", ROOT + ".store")
		.should()
		.callMethod(System.class, "currentTimeMillis")
		.orShould()
		.dependOnClassesThat(belongToAnyOf(Instant.class, Clock.class, Date.class, InstantSource.class));

	@ArchTest
	static final ArchRule theMemcachedDriverStaysInItsRoom = classes()
		.that(resideInAPackage(ROOT + "..")
			.and(resideOutsideOfPackages(ROOT + ".store.memcached", ROOT + ".autoconfigure")))
		.should()
		.onlyDependOnClassesThat(resideOutsideOfPackages("com.spotify..", "com.google.common.."));

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
	static final ArchRule roomsOfTheEngineKnowOnlyThoseBehindThem = layeredArchitecture()
		.consideringOnlyDependenciesInAnyPackage(ROOT + ".registry..")
		.layer("registry")
		.definedBy(ROOT + ".registry")
		.layer("entry")
		.definedBy(ROOT + ".registry.entry")
		.layer("lease")
		.definedBy(ROOT + ".registry.lease")
		.layer("request")
		.definedBy(ROOT + ".registry.request")
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
		.whereLayer("request")
		.mayOnlyBeAccessedByLayers("registry", "entry", "lease")
		.whereLayer("observe")
		.mayOnlyBeAccessedByLayers("registry", "entry", "lease", "request");

	@ArchTest
	static final ArchRule theEngineAndItsStoresKnowNoHttp = noClasses().that()
		.resideInAnyPackage(ROOT + ".registry..", ROOT + ".store..")
		.or()
		.haveSimpleName("LockOptions")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.http..", "org.springframework.web..", "jakarta.servlet..");

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
	static final ArchRule storeRoomsShowOneType = classes().that()
		.resideInAnyPackage(ROOT + ".store.redis", ROOT + ".store.memory", ROOT + ".store.memcached",
				ROOT + ".store.dynamodb", ROOT + ".store.jdbc")
		.and()
		.haveSimpleNameNotEndingWith("LockStore")
		.should()
		.notBePublic();

	@ArchTest
	static final ArchRule namesSayWhatTheyMean = noClasses().should()
		.haveNameMatching(".*(Impl|Utils?|Helper|Manager|Misc)");

	@ArchTest
	static final ArchRule packagesAreNullMarked = classes()
		.should(ArchCondition.from(DescribedPredicate.describe("be in a null-marked package",
				(JavaClass type) -> type.getPackage().isAnnotatedWith(NullMarked.class))));

}
