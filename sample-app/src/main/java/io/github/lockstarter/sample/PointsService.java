package io.github.lockstarter.sample;

import org.springframework.stereotype.Service;

/**
 * Simulates a remote service, which is slow and can be configured to fail.
 */
@Service
class PointsService {

	private final SampleProperties.Points properties;

	PointsService(SampleProperties properties) {
		this.properties = properties.points();
	}

	/**
	 * Grants points to a user.
	 * @throws PointsUnavailableException if the service fails
	 */
	void grant(long userId, int points) {
		try {
			Thread.sleep(this.properties.latency().toMillis());
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
