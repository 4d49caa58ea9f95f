package io.github.lockstarter.compatibility.redis;

import org.springframework.data.annotation.Id;
import org.springframework.data.redis.core.RedisHash;
import org.springframework.data.redis.core.index.Indexed;

@RedisHash("basket")
record Basket(@Id String id, @Indexed String owner) {

	static Basket of(String id) {
		return new Basket(id, id);
	}

}
