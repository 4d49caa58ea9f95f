package io.github.lockstarter.sample.demo;

import java.time.Instant;
import java.util.List;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * The executions of all instances, recorded in the shared database.
 */
@Repository
class Executions {

	private final JdbcClient jdbc;

	Executions(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/** Others see the execution at once, even if its work is rolled back. */
	@Transactional(propagation = Propagation.REQUIRES_NEW)
	void begin(String userName, int request, String instance) {
		this.jdbc.sql("insert into execution (user_name, request, instance, started) values (?, ?, ?, ?)")
			.params(userName, request, instance, Instant.now())
			.update();
	}

	@Transactional(propagation = Propagation.REQUIRES_NEW)
	void end(String userName, int request) {
		this.jdbc.sql("update execution set ended = ? where user_name = ? and request = ? and ended is null")
			.params(Instant.now(), userName, request)
			.update();
	}

	List<Execution> of(String userName) {
		return this.jdbc
			.sql("select request, instance, started, ended from execution where user_name = ? order by started")
			.param(userName)
			.query(Execution.class)
			.list();
	}

	/** Returns the number of users or payments with the name of a lane. */
	int rows(Lane lane) {
		return this.jdbc.sql("select count(*) from %s where user_name = ?".formatted(lane.policy().table()))
			.param(lane.userName())
			.query(Integer.class)
			.single();
	}

	void forgetBefore(Instant time) {
		this.jdbc.sql("delete from execution where started < ?").param(time).update();
	}

}
