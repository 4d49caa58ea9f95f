package io.github.lockstarter.service;

import java.util.Objects;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;

/**
 * Reports a failed start in plain text on standard error, for people: the log is JSON,
 * for machines.
 */
class ConsoleFailureReporter implements FailureAnalysisReporter {

	@Override
	public void report(FailureAnalysis analysis) {
		System.err.printf("%nThe lock service did not start. %s %s%n", analysis.getDescription(),
				Objects.toString(analysis.getAction(), ""));
	}

}
