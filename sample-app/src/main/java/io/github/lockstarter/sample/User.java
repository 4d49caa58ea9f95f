package io.github.lockstarter.sample;

/**
 * A registered user.
 *
 * @param userId the number of the user
 * @param userName the name, which should be unique
 * @param sessionId the session that the registration starts
 * @param points the bonus points
 */
public record User(long userId, String userName, String sessionId, int points) {

	User withPoints(int points) {
		return new User(this.userId, this.userName, this.sessionId, points);
	}

}
