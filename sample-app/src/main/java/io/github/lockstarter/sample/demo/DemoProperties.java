package io.github.lockstarter.sample.demo;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties under {@code sample.demo}.
 *
 * @param killable Whether the page may kill this instance, to show what happens to its
 * lock.
 */
@ConfigurationProperties("sample.demo")
record DemoProperties(@DefaultValue("false") boolean killable) {

}
