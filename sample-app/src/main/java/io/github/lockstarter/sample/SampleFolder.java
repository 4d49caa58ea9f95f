package io.github.lockstarter.sample;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.PropertySource;

import io.github.lockstarter.LockConfigurationException;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

/**
 * The folder of the sample in the home directory of its user, which no other user can
 * read. It contains the database, and the password of the database and of an embedded
 * Redis. All instances of one user share it. The configuration refers to it as
 * {@code sample.folder} and {@code sample.password}.
 */
final class SampleFolder implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	static final String PASSWORD = "sample.password";

	private static final String PATH = "sample.folder";

	private static final String NAME = ".lock-sample-app";

	private static final int PASSWORD_BYTES = 16;

	private final Path path;

	SampleFolder(Path home) {
		this.path = home.resolve(NAME).toAbsolutePath();
	}

	/** Returns the folder of the user who runs this JVM. */
	static SampleFolder ofUser() {
		return new SampleFolder(Path.of(System.getProperty("user.home")));
	}

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		context.getEnvironment().getPropertySources().addLast(new Properties());
	}

	/**
	 * Returns the password. It is generated, and the folder is created, when it is first
	 * needed.
	 * @throws LockConfigurationException if that is not possible
	 */
	private String password() {
		try {
			Files.createDirectories(this.path);
			PosixFileAttributeView permissions = Files.getFileAttributeView(this.path, PosixFileAttributeView.class);
			// Windows gives no other user access to a home directory.
			if (permissions != null) {
				permissions.setPermissions(PosixFilePermissions.fromString("rwx------"));
			}
			return password(this.path.resolve("password"));
		}
		catch (IOException ex) {
			throw new LockConfigurationException("The sample cannot use its folder %s: %s.".formatted(this.path, ex),
					"Make it a folder of your own, or set another home directory by -Duser.home=<folder>.");
		}
	}

	/** The lock on the file is for instances that start at the same time. */
	private static synchronized String password(Path path) throws IOException {
		try (FileChannel file = FileChannel.open(path, CREATE, READ, WRITE)) {
			file.lock();
			if (file.size() == 0) {
				byte[] random = new byte[PASSWORD_BYTES];
				new SecureRandom().nextBytes(random);
				file.write(ByteBuffer.wrap(HexFormat.of().formatHex(random).getBytes(StandardCharsets.US_ASCII)));
				file.position(0);
			}
			return new String(Channels.newInputStream(file).readAllBytes(), StandardCharsets.US_ASCII).strip();
		}
	}

	private final class Properties extends PropertySource<SampleFolder> {

		Properties() {
			super(NAME, SampleFolder.this);
		}

		@Override
		public @Nullable Object getProperty(String name) {
			return switch (name) {
				case PATH -> SampleFolder.this.path.toString();
				case PASSWORD -> password();
				default -> null;
			};
		}

	}

}
