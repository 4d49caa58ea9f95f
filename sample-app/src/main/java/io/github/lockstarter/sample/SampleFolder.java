package io.github.lockstarter.sample;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.PropertySource;

import io.github.lockstarter.LockConfigurationException;

/**
 * The folder of the sample in the home directory of its user, which no other user can
 * read. It contains the database, its password, and the password of each embedded Redis.
 * All instances of one user share it. The configuration refers to it as
 * {@code sample.folder} and {@code sample.database-password}.
 */
final class SampleFolder implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	static final String DATABASE_PASSWORD = "sample.database-password";

	private static final String PATH = "sample.folder";

	private static final String NAME = ".lock-sample-app";

	private final Path path;

	SampleFolder(Path home) {
		this.path = home.resolve(NAME).toAbsolutePath();
	}

	/** Returns the folder of the user who runs this process. */
	static SampleFolder ofUser() {
		return new SampleFolder(Path.of(System.getProperty("user.home")));
	}

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		context.getEnvironment().getPropertySources().addLast(new Properties());
	}

	private String databasePassword() {
		try (PasswordFile file = passwordFile("database-password")) {
			String password = file.read();
			return password.isEmpty() ? file.generate() : password;
		}
		catch (IOException ex) {
			throw unusable(ex);
		}
	}

	/** Opens a file of this folder. The folder is created when it is first needed. */
	PasswordFile passwordFile(String name) throws IOException {
		if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
			Set<PosixFilePermission> own = PosixFilePermissions.fromString("rwx------");
			Files.createDirectories(this.path, PosixFilePermissions.asFileAttribute(own));
			// It may have existed before.
			Files.setPosixFilePermissions(this.path, own);
		}
		else {
			// It has the permissions of the home directory.
			Files.createDirectories(this.path);
		}
		return PasswordFile.open(this.path.resolve(name));
	}

	/** Returns the failure to use this folder, with what to do about it. */
	LockConfigurationException unusable(IOException cause) {
		return new LockConfigurationException("The sample cannot use its folder %s: %s.".formatted(this.path, cause),
				"Make it a folder of your own, or set another home directory by -Duser.home=<folder>.");
	}

	private final class Properties extends PropertySource<SampleFolder> {

		Properties() {
			super(NAME, SampleFolder.this);
		}

		@Override
		public @Nullable Object getProperty(String name) {
			return switch (name) {
				case PATH -> SampleFolder.this.path.toString();
				case DATABASE_PASSWORD -> databasePassword();
				default -> null;
			};
		}

	}

}
