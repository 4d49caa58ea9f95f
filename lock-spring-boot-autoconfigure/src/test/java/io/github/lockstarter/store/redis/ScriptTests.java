package io.github.lockstarter.store.redis;

import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.cluster.PipelinedRedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

class ScriptTests {

	@Test
	@DisplayName("A driver that refuses a script which the server does not know yet is an answer, too")
	@SuppressWarnings("unchecked")
	void answersForRefusedScript() {
		RedisException refusal = new RedisException("not now");
		RedisClusterAsyncCommands<byte[], byte[]> redis = mock(RedisClusterAsyncCommands.class, (call) -> {
			if (call.getArgument(0) == CommandType.EVAL) {
				throw refusal;
			}
			PipelinedRedisFuture<Long> unknown = new PipelinedRedisFuture<>(new CompletableFuture<>());
			unknown.completeExceptionally(new RedisNoScriptException("NOSCRIPT"));
			return unknown;
		});
		CompletableFuture<Throwable> answer = new CompletableFuture<>();
		Script.RELEASE.with(new byte[][] { {}, {} })
			.send(redis, () -> false, (number, failure) -> answer.complete(failure));
		assertThat(answer).isCompletedWithValue(refusal);
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = { "BATCH", "RENEW" })
	@DisplayName("What a managed server checks before it runs a script: keys are KEYS with a number, commands are literals")
	void passesChecks(Script script) {
		String text = script.text();
		assertThat(text).doesNotContain("unpack").doesNotContainPattern("KEYS(?!\\[[1-4]\\])");
		assertThat(Pattern.compile("redis\\.").matcher(text).results().count())
			.as("commands that are called by their names, with a key if they need one")
			.isEqualTo(Pattern.compile("redis\\.p?call\\('(time'\\)|publish', |\\w+', KEYS\\[\\d\\][,)])")
				.matcher(text)
				.results()
				.count());
	}

}
