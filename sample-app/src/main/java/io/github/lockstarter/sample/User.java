package io.github.lockstarter.sample;

/**
 * A registered user.
 *
 * @param userId the number of the user
 * @param userName the name, which should be given to one user only
 * @param sessionId the session that registration begins
 * @param points the bonus points
 */
public record User(long userId, String userName, String sessionId, int points) {

	User withPoints(int points) {
		return new User(this.userId, this.userName, this.sessionId, points);
	}

}
