package io.github.lockstarter.sample;

import org.springframework.stereotype.Service;

/**
 * Stands for a remote service that is slow and can be configured to fail.
 */
@Service
class PointsService {

	private final SampleProperties.Points properties;

	PointsService(SampleProperties properties) {
		this.properties = properties.points();
	}

	/**
	 * Grants points to a user.
	 * @param slowdown how many times as long as usual it takes
	 * @throws PointsUnavailableException if the service fails
	 */
	void grant(long userId, int points, int slowdown) {
		try {
			Thread.sleep(this.properties.latency().multipliedBy(slowdown).toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new PointsUnavailableException(ex);
		}
		if (this.properties.fail()) {
			throw new PointsUnavailableException(null);
		}
	}

}
