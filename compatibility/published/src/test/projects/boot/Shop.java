package shop;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.store.LockStores;

/**
 * Gets the same order twice at the same time.
 */
@SpringBootApplication
@RestController
public class Shop {

	private static final CountDownLatch begun = new CountDownLatch(1);

	private static final CountDownLatch rejected = new CountDownLatch(1);

	@PostMapping("/orders/{id}")
	@ExclusiveRequest(name = "orders", key = "#id")
	String order(@PathVariable String id) throws InterruptedException {
		begun.countDown();
		rejected.await();
		return id;
	}

	public static void main(String[] args) throws Exception {
		try (ConfigurableApplicationContext context = SpringApplication.run(Shop.class, args)) {
			HttpClient client = HttpClient.newHttpClient();
			HttpRequest order = HttpRequest.newBuilder(
					URI.create("http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + "/orders/7"))
				.POST(BodyPublishers.noBody())
				.build();
			CompletableFuture<HttpResponse<String>> first = client.sendAsync(order, BodyHandlers.ofString());
			begun.await();
			int second = client.send(order, BodyHandlers.ofString()).statusCode();
			rejected.countDown();
			System.out.println("orders: " + first.join().statusCode() + " and " + second);
			context.getBean(LockRegistry.class).acquire("payments:7").close();
			LockStores stores = context.getBean(LockStores.class);
			System.out.println("stores: " + stores.nameOf("orders") + " and " + stores.nameOf("payments"));
			System.out.println("Spring Data Redis: " + context.containsBean("stringRedisTemplate"));
		}
	}

}
