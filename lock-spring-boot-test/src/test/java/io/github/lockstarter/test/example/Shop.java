package io.github.lockstarter.test.example;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * The application whose tests the documentation shows.
 */
@SpringBootApplication
class Shop {

}
