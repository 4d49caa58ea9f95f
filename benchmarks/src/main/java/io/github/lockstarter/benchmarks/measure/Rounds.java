package io.github.lockstarter.benchmarks.measure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.function.BinaryOperator;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Measures candidates in turns, so that a temporary disturbance of the machine affects
 * all of them.
 *
 * @param <C> the type of the candidates
 * @param <T> the type of the results
 */
public final class Rounds<C, T> {

	private final Map<C, List<T>> results = new LinkedHashMap<>();

	private Rounds(Collection<C> candidates) {
		candidates.forEach((candidate) -> this.results.put(candidate, new ArrayList<>()));
	}

	/**
	 * Measures each candidate once per round, in an order that changes.
	 * @param effort the number of rounds, which are preceded by warm-up rounds
	 */
	public static <C, T> Rounds<C, T> run(String what, Effort effort, Collection<C> candidates,
			Measurement<C, T> measurement) throws Exception {
		Rounds<C, T> rounds = new Rounds<>(candidates);
		List<C> order = new ArrayList<>(candidates);
		Random random = new Random();
		for (int round = -effort.warmUpRounds(); round < effort.rounds(); round++) {
			Progress.show("%s: %s", what,
					(round < 0) ? "warming up" : "round " + (round + 1) + " of " + effort.rounds());
			Collections.shuffle(order, random);
			for (C candidate : order) {
				T result = measurement.of(candidate);
				if (round >= 0) {
					rounds.results(candidate).add(result);
				}
			}
		}
		return rounds;
	}

	/**
	 * Returns the results with several rounds combined into one, for figures that are too
	 * coarse in a single round.
	 */
	public Rounds<C, T> together(int count, BinaryOperator<T> sum) {
		Rounds<C, T> sums = new Rounds<>(this.results.keySet());
		this.results.forEach((candidate, results) -> {
			for (int i = 0; i < results.size(); i += count) {
				sums.results(candidate).add(results.stream().skip(i).limit(count).reduce(sum).orElseThrow());
			}
		});
		return sums;
	}

	/** Returns the results of a candidate, round by round. */
	public List<T> results(C candidate) {
		return Objects.requireNonNull(this.results.get(candidate));
	}

	/** Returns a figure of a candidate over all rounds. */
	public Spread of(C candidate, ToDoubleFunction<T> figure) {
		return Spread.of(results(candidate).stream().mapToDouble(figure));
	}

	/** Returns a figure as a ratio to that of another candidate in the same round. */
	public Spread ratio(C candidate, C other, ToDoubleFunction<T> figure) {
		List<T> mine = results(candidate);
		List<T> others = results(other);
		return Spread.of(IntStream.range(0, mine.size())
			.mapToDouble((i) -> figure.applyAsDouble(mine.get(i)) / figure.applyAsDouble(others.get(i))));
	}

	/**
	 * Returns the candidate with the lowest median of a figure, if there are any
	 * candidates. The lowest value of a single round would be mostly chance.
	 */
	public Optional<C> lowest(Collection<C> candidates, ToDoubleFunction<T> figure) {
		return candidates.stream().min(Comparator.comparingDouble((candidate) -> of(candidate, figure).median()));
	}

	/** Measures one candidate once. */
	@FunctionalInterface
	public interface Measurement<C, T> {

		T of(C candidate) throws Exception;

	}

}
