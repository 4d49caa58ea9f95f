package io.github.lockstarter.store.redis;

import java.util.concurrent.CompletableFuture;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.cluster.PipelinedRedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

class ScriptTests {

	@Test
	@DisplayName("A driver that refuses a script which the server does not know yet is an answer, too")
	@SuppressWarnings("unchecked")
	void answersForRefusedScript() {
		RedisException refusal = new RedisException("not now");
		RedisClusterAsyncCommands<byte[], byte[]> redis = mock(RedisClusterAsyncCommands.class, (call) -> {
			if (call.getMethod().getName().equals("eval")) {
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

}
