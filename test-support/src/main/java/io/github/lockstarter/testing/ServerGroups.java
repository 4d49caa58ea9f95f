package io.github.lockstarter.testing;

import java.util.List;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.junit.jupiter.api.Tag;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

/**
 * Tests whose result depends on a server are in the group that runs on each of its
 * versions and products.
 */
public final class ServerGroups {

	private ServerGroups() {
	}

	/** Tests that use such servers, or these types, are in the group of Redis. */
	public static ArchRule redis(Class<?>... more) {
		return classes()
			.that(use(more).or(use(LocalRedis.class, LocalSentinel.class, LocalCluster.class))
				.and(resideInAnyPackage("..store.redis..", "..faults..")))
			.should(beInGroup("redis"));
	}

	/** Tests that use the shared Redis for more than an application are in its group. */
	public static ArchRule sharedRedis(Class<?>... more) {
		return classes().that(use(more).or(use(TestRedis.class)).and(resideInAPackage("..store.redis..")))
			.should(beInGroup("redis"));
	}

	/** Tests that use such servers are in the group of databases. */
	public static ArchRule databases() {
		return classes()
			.that(use(TestDatabase.class).or(useChosenMySql()).and(resideInAnyPackage("..store.jdbc..", "..faults..")))
			.should(beInGroup("database"));
	}

	private static DescribedPredicate<JavaClass> useChosenMySql() {
		return DescribedPredicate.describe("use MariaDB, or MySQL if it is chosen",
				(item) -> item.getMethodCallsFromSelf()
					.stream()
					.anyMatch((call) -> belongToAnyOf(LocalMySql.class).test(call.getTargetOwner())
							&& List.of("shared", "started").contains(call.getName())));
	}

	private static DescribedPredicate<JavaClass> use(Class<?>... servers) {
		return DescribedPredicate.describe("use such servers",
				(item) -> !item.getSimpleName().equals("ServerGroupsTests") && item.getDirectDependenciesFromSelf()
					.stream()
					.anyMatch((dependency) -> belongToAnyOf(servers).test(dependency.getTargetClass())));
	}

	/** A test class is also in a group if one of its nested classes is. */
	private static ArchCondition<JavaClass> beInGroup(String group) {
		return new ArchCondition<>("be in the group " + group + ", if they are tests") {

			@Override
			public void check(JavaClass item, ConditionEvents events) {
				Class<?> test = item.reflect().getNestHost();
				boolean inGroup = Stream.concat(Stream.of(test), Stream.of(test.getDeclaredClasses()))
					.flatMap((each) -> Stream.of(each.getAnnotationsByType(Tag.class)))
					.anyMatch((tag) -> group.equals(tag.value()));
				events.add(new SimpleConditionEvent(item, inGroup || !test.getSimpleName().endsWith("Tests"),
						test.getSimpleName() + " is not in the group " + group));
			}

		};
	}

}
