package io.github.lockstarter.sample.demo;

import javax.sql.DataSource;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table of the executions in a database file of an earlier version.
 */
@Tag("once")
class ExecutionsTests {

	@Test
	@DisplayName("In the table of an earlier version, the column with the instance is renamed once, and its rows stay")
	void earlierTable() {
		DataSource dataSource = new DriverManagerDataSource("jdbc:h2:mem:earlier;DB_CLOSE_DELAY=-1");
		JdbcClient jdbc = JdbcClient.create(dataSource);
		jdbc.sql("""
				create table execution (user_name varchar not null, request int not null, server varchar not null,
				started timestamp(9) with time zone not null, ended timestamp(9) with time zone)""").update();
		jdbc.sql("insert into execution values ('taro', 1, 'A', current_timestamp, null)").update();
		ResourceDatabasePopulator schema = new ResourceDatabasePopulator(new ClassPathResource("schema.sql"));
		schema.execute(dataSource);
		schema.execute(dataSource);
		Executions executions = new Executions(jdbc);
		executions.begin("taro", 2, "B");
		assertThat(executions.of("taro")).extracting(Execution::instance).containsExactly("A", "B");
	}

}
