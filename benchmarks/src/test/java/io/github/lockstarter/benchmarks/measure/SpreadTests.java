package io.github.lockstarter.benchmarks.measure;

import java.util.stream.DoubleStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SpreadTests {

	@Test
	@DisplayName("The median and the quartiles are interpolated between neighbouring figures")
	void quartiles() {
		assertThat(Spread.of(DoubleStream.of(4, 1, 3, 2))).isEqualTo(new Spread(2.5, 1.75, 3.25));
		assertThat(Spread.of(DoubleStream.of(7))).isEqualTo(new Spread(7, 7, 7));
	}

	@Test
	@DisplayName("Infinite figures are accepted")
	void infinities() {
		Spread spread = Spread
			.of(DoubleStream.of(1, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY));
		assertThat(spread.median()).isInfinite();
		assertThat(Spread.text(spread.median())).isEqualTo("∞");
	}

	@Test
	@DisplayName("A small figure keeps one digit that is not zero")
	void smallFigures() {
		assertThat(Spread.text(0.000712)).isEqualTo("0.0007");
		assertThat(Spread.text(-0.0049)).isEqualTo("-0.005");
		assertThat(Spread.text(0)).isEqualTo("0.00");
		assertThat(Spread.text(0.01)).isEqualTo("0.01");
	}

	@Test
	@DisplayName("A figure is printed with its significant digits only")
	void digits() {
		assertThat(new Spread(1.234, 0.5, 12345.6)).hasToString("1.23 (0.50–12,346)");
		assertThat(Spread.text(12.34)).isEqualTo("12.3");
	}

}
