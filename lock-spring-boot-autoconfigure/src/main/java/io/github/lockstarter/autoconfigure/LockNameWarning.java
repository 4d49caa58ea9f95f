package io.github.lockstarter.autoconfigure;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;

import io.github.lockstarter.operation.LockOperationSource;

/**
 * Warns about settings under {@code lock.names} that have no effect, because no lock has
 * the name, and about environment variables that fit several locks, or only one that
 * other properties name exactly.
 */
final class LockNameWarning implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(LockNameWarning.class);

	private final LockOperationSource operations;

	private final Map<String, LockProperties.Named> names;

	private final Set<String> configured;

	LockNameWarning(LockOperationSource operations, LockProperties properties) {
		this.operations = operations;
		this.names = properties.names();
		this.configured = this.names.keySet();
	}

	@Override
	public void afterSingletonsInstantiated() {
		Set<String> locks = new TreeSet<>(this.operations.lockNames());
		for (String name : this.configured) {
			if (EnvironmentVariableName.is(name)) {
				warnOfVariable(name, locks);
			}
			else if (!locks.contains(name) && this.configured.stream().noneMatch(isVariableFor(name))) {
				warnOfUnknown("lock.names." + name, locks);
			}
		}
	}

	private static Predicate<String> isVariableFor(String name) {
		return (each) -> EnvironmentVariableName.is(each) && EnvironmentVariableName.fits(each, name);
	}

	private void warnOfVariable(String variable, Set<String> locks) {
		Set<String> fitting = locks.stream()
			.filter((lock) -> EnvironmentVariableName.fits(variable, lock))
			.collect(Collectors.toCollection(TreeSet::new));
		if (fitting.isEmpty()) {
			warnOfUnknown(variable + "_…", locks);
		}
		fitting.stream()
			.filter((lock) -> this.configured.contains(lock) && !overrides(variable, lock))
			.forEach((lock) -> logger.warn(
					"%s_… has no effect on the lock '%s'%s, because other properties name it exactly. Set lock.names[%s].… there instead"
						.formatted(variable, lock,
								choosesStore(variable, lock) ? ", other than to choose its store" : "", lock)));
		fitting.removeAll(this.configured);
		if (fitting.size() > 1) {
			logger.warn(
					"%s_… applies to each of the locks %s. Name one of them exactly in another source, as in lock.names[%s].…"
						.formatted(variable, fitting, fitting.iterator().next()));
		}
	}

	private boolean choosesStore(String variable, String lock) {
		LockProperties.Named named = this.names.get(variable);
		LockProperties.Named exact = this.names.get(lock);
		return named != null && named.store() != null && exact != null && exact.store() == null;
	}

	/** Returns whether Spring Boot itself finds the variable for the name. */
	private static boolean overrides(String variable, String name) {
		return variable.equals(EnvironmentVariableName.of(name.replace("-", "")))
				|| variable.equals(EnvironmentVariableName.of(name.replace('-', '_')));
	}

	private static void warnOfUnknown(String property, Set<String> locks) {
		logger.warn(
				"%s: no @ExclusiveRequest of a bean created so far has that name. The settings apply only to beans that are created later, and to code that acquires the lock with a LockRegistry. The names of the annotations are %s"
					.formatted(property, locks));
	}

}
