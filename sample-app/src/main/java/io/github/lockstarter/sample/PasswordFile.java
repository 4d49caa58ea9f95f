package io.github.lockstarter.sample;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.locks.ReentrantLock;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

/**
 * A generated password in a file. While it is open, no other instance of the sample can
 * open it: instances that start at the same time wait for each other.
 */
final class PasswordFile implements Closeable {

	private static final int PASSWORD_BYTES = 16;

	/** The lock on a file is one of the process. */
	private static final ReentrantLock OPEN = new ReentrantLock();

	private final Path path;

	private final FileChannel file;

	private PasswordFile(Path path, FileChannel file) {
		this.path = path;
		this.file = file;
	}

	/** Opens the file, and creates it if it is missing. */
	static PasswordFile open(Path path) throws IOException {
		FileChannel file = FileChannel.open(path, CREATE, READ, WRITE);
		OPEN.lock();
		PasswordFile opened = new PasswordFile(path, file);
		try {
			file.lock();
			return opened;
		}
		catch (IOException ex) {
			opened.close();
			throw ex;
		}
	}

	/** Returns the password; an empty text if none has been generated. */
	String read() throws IOException {
		this.file.position(0);
		return new String(Channels.newInputStream(this.file).readAllBytes(), StandardCharsets.US_ASCII).strip();
	}

	/** Returns the password at the moment, also after the file has been closed. */
	String readAgain() {
		try {
			return Files.readString(this.path);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Replaces the password by a new one. */
	String generate() throws IOException {
		byte[] random = new byte[PASSWORD_BYTES];
		new SecureRandom().nextBytes(random);
		String password = HexFormat.of().formatHex(random);
		this.file.truncate(0).write(ByteBuffer.wrap(password.getBytes(StandardCharsets.US_ASCII)));
		return password;
	}

	@Override
	public void close() throws IOException {
		try (this.file) {
			// The end of the lock on the file.
		}
		finally {
			OPEN.unlock();
		}
	}

}
