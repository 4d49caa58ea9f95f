package io.github.lockstarter.compatibility.jpa;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

import io.github.lockstarter.compatibility.Locks;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.verify;

@SpringBootTest(
		classes = JpaRepositoryTests.Application.class, properties = { "lock.store=memory",
				"spring.jpa.hibernate.ddl-auto=create", "spring.datasource.generate-unique-name=true" },
		webEnvironment = SpringBootTest.WebEnvironment.NONE)
class SpiedRepositoryTests {

	@Autowired
	private ApplicationContext context;

	@MockitoSpyBean
	private OrderRepository orders;

	@Test
	@DisplayName("A repository that a test spies on keeps its locks")
	void locked() {
		Locks locks = new Locks(this.context);
		locks.assertLocked("save", (id) -> this.orders.save(new Order(id)));
		locks.assertLocked("find-by-state", this.orders::findByState);
		locks.assertLocked("cancel", this.orders::cancel);
		verify(this.orders, atLeastOnce()).save(any());
	}

}
