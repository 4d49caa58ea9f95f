package io.github.lockstarter.sample;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.context.support.TestPropertySourceUtils;

import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class EmbeddedRedisTests {

	private static final String STARTED = "an embedded one was started";

	private final String port = "spring.data.redis.port=" + new LocalRedis().port();

	@Test
	@DisplayName("The first instance starts a Redis and says so in one line, the next one joins it")
	void startsOne(CapturedOutput output) {
		initialize(this.port);
		initialize(this.port);
		assertThat(output).containsOnlyOnce(STARTED);
		StringRedisTemplate redis = new StringRedisTemplate(
				TestRedis.connectionFactory("127.0.0.1", Integer.parseInt(this.port.split("=")[1])));
		redis.opsForValue().set("works", "yes");
		assertThat(redis.opsForValue().get("works")).isEqualTo("yes");
	}

	@Test
	@DisplayName("With locks in memory, or Redis elsewhere, none is started")
	void startsNone(CapturedOutput output) {
		initialize(this.port, "lock.store=memory");
		initialize(this.port, "spring.data.redis.host=redis.example.com");
		initialize(this.port, "spring.data.redis.url=redis://redis.example.com");
		assertThat(output).doesNotContain(STARTED);
	}

	@Test
	@DisplayName("A build that processes the application ahead of time starts none")
	void startsNoneInABuild(CapturedOutput output) {
		System.setProperty(AbstractAotProcessor.AOT_PROCESSING, "true");
		try {
			initialize(this.port);
		}
		finally {
			System.clearProperty(AbstractAotProcessor.AOT_PROCESSING);
		}
		assertThat(output).doesNotContain(STARTED);
	}

	private static void initialize(String... properties) {
		StaticApplicationContext context = new StaticApplicationContext();
		TestPropertySourceUtils.addInlinedPropertiesToEnvironment(context, properties);
		new EmbeddedRedis().initialize(context);
	}

}
