package io.github.lockstarter.compatibility.jpa;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.hibernate.collection.spi.PersistentBag;
import org.hibernate.collection.spi.PersistentList;
import org.hibernate.collection.spi.PersistentMap;
import org.hibernate.collection.spi.PersistentSet;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockstarter.key.KeyText;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.mock;

/**
 * The collections of entities that Hibernate has loaded.
 */
class HibernateCollectionsTests {

	@ParameterizedTest
	@MethodSource
	@DisplayName("A collection that Hibernate has loaded has the key of a plain one with the same elements")
	void asPlain(Object loaded, Object plain) {
		assertThat(KeyText.lockKey("orders", List.of(loaded))).isEqualTo(KeyText.lockKey("orders", List.of(plain)));
	}

	static Stream<Object[]> asPlain() {
		SharedSessionContractImplementor session = mock(RETURNS_DEEP_STUBS);
		return Stream.of(new Object[] { new PersistentBag<>(session, List.of("a")), List.of("a") },
				new Object[] { new PersistentList<>(session, List.of("a")), List.of("a") },
				new Object[] { new PersistentSet<>(session, Set.of("a")), Set.of("a") },
				new Object[] { new PersistentMap<>(session, Map.of("a", 1)), Map.of("a", 1) });
	}

}
