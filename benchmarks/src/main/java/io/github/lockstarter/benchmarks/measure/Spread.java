package io.github.lockstarter.benchmarks.measure;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;
import java.util.stream.DoubleStream;

/**
 * The median and the quartiles of some figures.
 *
 * @param median the median
 * @param low the lower quartile
 * @param high the upper quartile
 */
public record Spread(double median, double low, double high) {

	/**
	 * Below this, two decimals are not enough: a ratio of 0.0007 says as much as its
	 * reciprocal, 1,400.
	 */
	private static final double SMALL = 0.01;

	/** Returns the spread of the figures. */
	public static Spread of(DoubleStream figures) {
		double[] sorted = figures.sorted().toArray();
		return new Spread(quantile(sorted, 0.5), quantile(sorted, 0.25), quantile(sorted, 0.75));
	}

	private static double quantile(double[] sorted, double share) {
		double place = share * (sorted.length - 1);
		double below = sorted[(int) Math.floor(place)];
		double above = sorted[(int) Math.ceil(place)];
		// Not for infinities, whose difference is not a number.
		return (below == above) ? below : below + (above - below) * (place - Math.floor(place));
	}

	/** Returns a figure with its significant digits. */
	public static String text(double figure) {
		if (Double.isNaN(figure)) {
			return "–";
		}
		if (Double.isInfinite(figure)) {
			return "∞";
		}
		if (figure != 0 && Math.abs(figure) < SMALL) {
			return new BigDecimal(figure).round(new MathContext(1)).toPlainString();
		}
		String format = (Math.abs(figure) >= 100) ? "%,.0f" : (Math.abs(figure) >= 10) ? "%.1f" : "%.2f";
		return String.format(Locale.ROOT, format, figure);
	}

	/** Returns the median, and the quartiles in brackets. */
	@Override
	public String toString() {
		return "%s (%s–%s)".formatted(text(this.median), text(this.low), text(this.high));
	}

}
