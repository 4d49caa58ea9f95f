package io.github.lockstarter.sample;

import java.util.UUID;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * Registers users.
 */
@Service
public class RegistrationService {

	private static final int BONUS = 100;

	private static final int MAX_NAME_LENGTH = 50;

	private final UserRepository users;

	private final PointsService points;

	RegistrationService(UserRepository users, PointsService points) {
		this.users = users;
		this.points = points;
	}

	/**
	 * Registers a user while no other request registers the same name. The name is looked
	 * up again under the lock, because an earlier request may have finished since the
	 * first lookup of the caller.
	 */
	@ExclusiveRequest(name = "registration", key = "#userName")
	@Transactional(noRollbackFor = PointsUnavailableException.class)
	public User register(String userName) {
		return store(userName, 1);
	}

	/**
	 * Does the same without a lock: each of several simultaneous requests inserts a row.
	 */
	@Transactional(noRollbackFor = PointsUnavailableException.class)
	public User registerUnguarded(String userName) {
		return store(userName, 1);
	}

	/**
	 * Does the same without a lock, in slow motion.
	 * @param slowdown how many times as long as usual it takes
	 */
	@Transactional(noRollbackFor = PointsUnavailableException.class)
	public User registerUnguarded(String userName, int slowdown) {
		return store(userName, slowdown);
	}

	private User store(String userName, int slowdown) {
		if (userName.isBlank() || userName.length() > MAX_NAME_LENGTH) {
			throw new InvalidUserNameException();
		}
		if (!this.users.findByName(userName).isEmpty()) {
			throw new AlreadyRegisteredException();
		}
		User user = new User(this.users.nextId(), userName, UUID.randomUUID().toString(), 0);
		this.users.insert(user);
		this.points.grant(user.userId(), BONUS, slowdown);
		User rewarded = user.withPoints(BONUS);
		this.users.updatePoints(rewarded);
		return rewarded;
	}

}
