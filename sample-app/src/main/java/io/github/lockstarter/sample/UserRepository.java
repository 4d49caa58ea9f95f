package io.github.lockstarter.sample;

import java.util.List;
import java.util.Optional;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The users in the database. There is no unique constraint on the name, so that the
 * effect of the lock, and of its absence, is visible.
 */
@Repository
class UserRepository {

	private final JdbcClient jdbc;

	UserRepository(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	long nextId() {
		return this.jdbc.sql("select next value for user_id").query(Long.class).single();
	}

	void insert(User user) {
		this.jdbc.sql("insert into users (user_id, user_name, session_id, points) values (?, ?, ?, ?)")
			.params(user.userId(), user.userName(), user.sessionId(), user.points())
			.update();
	}

	void updatePoints(User user) {
		this.jdbc.sql("update users set points = ? where user_id = ?").params(user.points(), user.userId()).update();
	}

	Optional<User> findById(long userId) {
		return this.jdbc.sql("select * from users where user_id = ?").param(userId).query(User.class).optional();
	}

	List<User> findByName(String userName) {
		return this.jdbc.sql("select * from users where user_name = ? order by user_id")
			.param(userName)
			.query(User.class)
			.list();
	}

}
