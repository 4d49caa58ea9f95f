package io.github.lockstarter.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ExecutionException;

/**
 * A self-signed certificate and its private key, in files for Redis.
 *
 * @param certificate the certificate
 * @param key its private key
 */
public record TestCertificate(Path certificate, Path key) {

	private static final String PASSWORD = "secret";

	/** Creates a certificate for this machine in the directory. */
	public static TestCertificate create(Path directory) throws Exception {
		return create(directory, "ip:127.0.0.1,dns:localhost");
	}

	/** Creates a certificate for these names in the directory. */
	public static TestCertificate create(Path directory, String names) throws Exception {
		Path store = directory.resolve("store.p12");
		keytool("-genkeypair", "-alias", "redis", "-keyalg", "EC", "-dname", "CN=localhost", "-ext", "san=" + names,
				"-validity", "2", "-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore", store.toString());
		KeyStore keys = load(store);
		return new TestCertificate(
				write(directory.resolve("redis.crt"), "CERTIFICATE", keys.getCertificate("redis").getEncoded()),
				write(directory.resolve("redis.key"), "PRIVATE KEY",
						keys.getKey("redis", PASSWORD.toCharArray()).getEncoded()));
	}

	/** Returns the settings of a Redis server that accepts TLS at this port. */
	public List<String> settings(int port) {
		return List.of("tls-port " + port, "tls-cert-file " + this.certificate, "tls-key-file " + this.key,
				"tls-ca-cert-file " + this.certificate, "tls-auth-clients no");
	}

	private static void keytool(String... arguments) throws IOException, InterruptedException, ExecutionException {
		String[] command = new String[arguments.length + 1];
		command[0] = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
		System.arraycopy(arguments, 0, command, 1, arguments.length);
		Process process = new ProcessBuilder(command).inheritIO().start();
		if (process.onExit().get().exitValue() != 0) {
			throw new IllegalStateException("The JDK's keytool makes no certificate");
		}
	}

	private static KeyStore load(Path file) throws GeneralSecurityException, IOException {
		try (InputStream input = Files.newInputStream(file)) {
			KeyStore store = KeyStore.getInstance("PKCS12");
			store.load(input, PASSWORD.toCharArray());
			return store;
		}
	}

	private static Path write(Path file, String kind, byte[] content) throws IOException {
		String text = Base64.getMimeEncoder(64, "\n".getBytes()).encodeToString(content);
		return Files.writeString(file, "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, text, kind));
	}

}
