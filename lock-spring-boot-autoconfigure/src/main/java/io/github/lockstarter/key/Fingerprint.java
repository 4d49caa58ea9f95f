package io.github.lockstarter.key;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

import io.github.lockstarter.LockKey;

/**
 * Makes digests of what a client has sent, which are stored with a result. Without a
 * secret key, whoever reads the store can find short contents by trying.
 */
public final class Fingerprint {

	private static final int SHORTEST_KEY = 16;

	private static final String ALGORITHM = "HmacSHA256";

	private final @Nullable SecretKeySpec key;

	/**
	 * Creates the digests.
	 * @param key the secret key; {@code null} for none
	 */
	public Fingerprint(@Nullable String key) {
		this.key = (key != null) ? new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), ALGORITHM) : null;
	}

	/**
	 * Checks the secret key.
	 * @throws IllegalArgumentException if it is too short
	 */
	public static void checkKey(@Nullable String key) {
		Assert.isTrue(key == null || key.length() >= SHORTEST_KEY,
				"The secret key must have at least %d characters".formatted(SHORTEST_KEY));
	}

	/** Returns the digest: HMAC-SHA256 with the secret key, or SHA-256 without one. */
	public String of(String text) {
		return (this.key != null) ? hmac(text, this.key) : LockKey.ofDigest("fingerprint", text).key();
	}

	private static String hmac(String text, SecretKeySpec key) {
		try {
			Mac mac = Mac.getInstance(ALGORITHM);
			mac.init(key);
			return "hmac-sha256:" + HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("Every Java platform has " + ALGORITHM, ex);
		}
	}

}
