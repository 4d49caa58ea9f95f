import org.springframework.web.client.RestClient;

import io.github.lockstarter.client.IdempotentRetryInterceptor;

/**
 * Sends orders to an API with locks.
 */
public final class Client {

	private Client() {
	}

	public static void main(String[] args) {
		RestClient client = RestClient.builder().requestInterceptor(new IdempotentRetryInterceptor()).build();
		for (String order : args) {
			int status = client.post()
				.uri(order)
				.body("{}")
				.exchange((request, response) -> response.getStatusCode().value());
			System.out.println("status: " + status);
		}
	}

}
