package io.github.lockstarter.store.jdbc;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class StatementFailureTests {

	@ParameterizedTest
	@CsvSource(textBlock = """
			# PostgreSQL
			ROLLED_BACK, 40001, 0
			ROLLED_BACK, 40P01, 0
			ROLLED_BACK, 40000, 0
			UNKNOWN,     40003, 0
			ROLLED_BACK, 23505, 0
			ROLLED_BACK, 25P03, 0
			ROLLED_BACK, 25P04, 0
			BLOCKED,     55P03, 0
			READ_ONLY,   25006, 0
			UNKNOWN,     57P01, 0
			UNKNOWN,     57014, 0
			UNKNOWN,     08006, 0
			FINAL,       42P01, 0
			FINAL,       42501, 0
			FINAL,       53100, 0
			# MySQL and MariaDB
			ROLLED_BACK, 40001, 1213
			ROLLED_BACK, HY000, 1020
			ROLLED_BACK, HY000, 3100
			ROLLED_BACK, HY000, 3101
			BLOCKED,     HY000, 1205
			READ_ONLY,   HY000, 1290
			READ_ONLY,   25006, 1792
			READ_ONLY,   HY000, 1836
			UNKNOWN,     08S01, 1053
			UNKNOWN,     70100, 1317
			UNKNOWN,     70100, 1927
			UNKNOWN,     HY000, 4031
			UNKNOWN,     HY000, 1180
			UNKNOWN,     HY000, 2006
			UNKNOWN,     HY000, 2013
			UNKNOWN,     HY000, 3169
			FINAL,       HY000, 1665
			FINAL,       42S02, 1146
			# H2
			ROLLED_BACK, 90131, 90131
			BLOCKED,     HYT00, 50200
			READ_ONLY,   90097, 90097
			UNKNOWN,     90121, 90121
			FINAL,       42S02, 42102
			# Of drivers
			UNKNOWN,     ,      0
			FINAL,       '',    0
			""")
	@DisplayName("A failure is classified by what happened to the data")
	void classified(StatementFailure expected, @Nullable String state, int code) {
		assertThat(StatementFailure.of(new SQLException("message", state, code))).isEqualTo(expected);
	}

}
