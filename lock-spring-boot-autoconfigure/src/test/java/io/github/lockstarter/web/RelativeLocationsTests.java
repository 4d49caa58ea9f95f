package io.github.lockstarter.web;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locations of the own host, and of others.
 */
class RelativeLocationsTests {

	@ParameterizedTest
	@CsvSource(textBlock = """
			http://shop.example:8080/orders/1?a=b#c, /orders/1?a=b#c
			HTTP://SHOP.example:8080/orders/1, /orders/1
			http://user@shop.example:8080/orders, /orders
			http://shop.example:8080, /
			http://shop.example:8080?a=b, /?a=b
			http://shop.example:8080/x?q=a|b {c}, /x?q=a|b {c}
			/orders/1, /orders/1
			orders/1, orders/1
			//other.example/orders, //other.example/orders
			https://shop.example:8080/orders, https://shop.example:8080/orders
			http://shop.example/orders, http://shop.example/orders
			http://shop.example:9443/orders, http://shop.example:9443/orders
			http://shop.example.evil:8080/orders, http://shop.example.evil:8080/orders
			http://shop.example:8080@evil.example/orders, http://shop.example:8080@evil.example/orders
			mailto:a@shop.example, mailto:a@shop.example
			""")
	@DisplayName("A location with the origin of the request is stored without it, and others are unchanged")
	void relative(String location, String stored) {
		assertThat(RelativeLocations.relative(location, "http", "shop.example", 8080)).isEqualTo(stored);
	}

	@ParameterizedTest
	@CsvSource({ "http, -1, http://my_host/a, /a", "http, 80, http://my_host/a, /a",
			"https, 443, https://my_host:443/a, /a", "https, 0, http://my_host/a, http://my_host/a" })
	@DisplayName("A port that is not named is that of the scheme, and a host may have an underscore")
	void standardPort(String scheme, int port, String location, String stored) {
		assertThat(RelativeLocations.relative(location, scheme, "my_host", port)).isEqualTo(stored);
	}

}
