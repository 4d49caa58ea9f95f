package io.github.lockstarter.benchmarks.measure;

import java.time.Duration;

import io.github.lockstarter.benchmarks.candidate.DatabaseAddress;
import io.github.lockstarter.benchmarks.candidate.DatabaseAddress.Kind;
import io.github.lockstarter.testing.LocalMySql;

/**
 * A MariaDB server that this process starts, with its default settings: it writes a
 * commit to the disk before it answers.
 */
public final class MariaDbServer implements LockServer {

	private final LocalMySql mariaDb = LocalMySql.mariaDb();

	private final DatabaseAddress address = new DatabaseAddress(Kind.MARIADB, this.mariaDb.port());

	private final SqlConsole console = new SqlConsole(this.address.url());

	/** Returns the address of the server. */
	public DatabaseAddress address() {
		return this.address;
	}

	@Override
	public String name() {
		return "MariaDB";
	}

	@Override
	public String version() {
		return this.console.query("SELECT version()");
	}

	@Override
	public void clear() {
		String tables = this.console
			.query("SELECT group_concat(table_name) FROM information_schema.tables WHERE table_schema = 'test'");
		if (!tables.isEmpty()) {
			for (String table : tables.split(",")) {
				this.console.execute("TRUNCATE " + table);
			}
		}
	}

	@Override
	public double processorSeconds() {
		return this.mariaDb.process().info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e9;
	}

	/**
	 * Counts the statements that the server has executed. Statements that set a variable
	 * are excluded, because the driver sends some of them on a new connection.
	 */
	@Override
	public long count(Sender sender) throws Exception {
		long before = statements();
		sender.send();
		return statements() - before;
	}

	private long statements() {
		return Long.parseLong(this.console.query("""
				SELECT sum(variable_value) FROM information_schema.global_status
				WHERE variable_name IN ('COM_INSERT', 'COM_UPDATE', 'COM_DELETE', 'COM_SELECT', 'COM_COMMIT',
				  'COM_ROLLBACK', 'COM_BEGIN')"""));
	}

	@Override
	public void close() {
		this.console.close();
		this.mariaDb.close();
	}

}
