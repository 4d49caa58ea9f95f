package io.github.lockstarter.key;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Locale;

/**
 * Finds the existing name that is nearest to a misspelt one.
 */
public final class NearestName {

	private NearestName() {
	}

	/**
	 * Returns the name with the smallest edit distance.
	 * @param name the misspelt name
	 * @param names the names that exist, at least one
	 * @return the nearest of the names
	 */
	public static String to(String name, Collection<String> names) {
		return Collections.min(names, Comparator.comparingInt((each) -> distance(name, each)));
	}

	/** Levenshtein distance, ignoring case. */
	private static int distance(String a, String b) {
		String from = a.toLowerCase(Locale.ROOT);
		String to = b.toLowerCase(Locale.ROOT);
		int[] costs = new int[to.length() + 1];
		for (int j = 0; j <= to.length(); j++) {
			costs[j] = j;
		}
		for (int i = 1; i <= from.length(); i++) {
			int diagonal = costs[0];
			costs[0] = i;
			for (int j = 1; j <= to.length(); j++) {
				int substitute = diagonal + ((from.charAt(i - 1) == to.charAt(j - 1)) ? 0 : 1);
				diagonal = costs[j];
				costs[j] = Math.min(substitute, 1 + Math.min(costs[j], costs[j - 1]));
			}
		}
		return costs[to.length()];
	}

}
