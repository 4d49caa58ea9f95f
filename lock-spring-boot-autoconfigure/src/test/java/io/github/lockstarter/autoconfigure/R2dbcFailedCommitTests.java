package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import io.github.lockstarter.testing.LocalPostgreSql;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A reactive transaction whose commit the database refuses. Of the databases, PostgreSQL
 * checks constraints as late as at the commit.
 */
class R2dbcFailedCommitTests {

	private final JdbcClient jdbc = JdbcClient.create(new DriverManagerDataSource(LocalPostgreSql.shared().url()));

	@Test
	@DisplayName("A commit that fails stores no response, and the retry runs")
	void failedCommit() throws Exception {
		this.jdbc.sql("drop table if exists receipts").update();
		this.jdbc.sql("create table receipts (id varchar(50) unique deferrable initially deferred)").update();
		this.jdbc.sql("insert into receipts values ('a')").update();
		try (TestServer server = R2dbcTransactionsTests.server(LocalPostgreSql.shared().url(),
				LocalPostgreSql.shared().reactiveUrl())) {
			assertThat(server.post("/pay?id=a").statusCode()).isEqualTo(500);
			assertThat(count("reactive_locks_results")).isZero();
			this.jdbc.sql("delete from receipts").update();
			HttpResponse<String> retry = server.post("/pay?id=a");
			assertThat(retry.statusCode()).isEqualTo(201);
			assertThat(retry.headers().firstValue("Idempotent-Replayed")).isEmpty();
			assertThat(count("receipts")).isOne();
		}
		finally {
			this.jdbc.sql("drop table receipts").update();
			this.jdbc.sql("delete from reactive_locks_results").update();
		}
	}

	private int count(String table) {
		return this.jdbc.sql("select count(*) from " + table).query(Integer.class).single();
	}

}
