package io.github.lockstarter.key;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.web.multipart.MultipartFile;

import io.github.lockstarter.LockConfigurationException;

/**
 * A fingerprint of content that code passes for the comparison with earlier work.
 */
public final class ContentFingerprint {

	/** No fingerprint of the arguments of a method begins like this. */
	private static final String PREFIX = "content";

	private ContentFingerprint() {
	}

	/**
	 * Returns the text that is equal for equal content.
	 * @throws LockConfigurationException if a part of it can be read only once, or cannot
	 * be written as JSON
	 */
	public static String of(String lockName, @Nullable Object... content) {
		for (Object each : content) {
			if (each != null && !(each instanceof MultipartFile) && ArgumentFingerprint.isOnce(each.getClass())) {
				throw invalid(lockName, "a %s can be read only once".formatted(each.getClass().getName()));
			}
		}
		List<@Nullable Object> values = new ArrayList<>();
		values.add(PREFIX);
		values.addAll(Arrays.asList(content));
		try {
			return CanonicalJson.writeState(values);
		}
		catch (IllegalArgumentException ex) {
			throw invalid(lockName, "a part of it cannot be written as JSON: " + ex.getMessage());
		}
	}

	private static LockConfigurationException invalid(String lockName, String reason) {
		return new LockConfigurationException(
				"Idempotent work under lock '%s' cannot compare its content: %s.".formatted(lockName, reason),
				"Compare values that can be written as JSON, such as the identifier and the text of a message.");
	}

}
