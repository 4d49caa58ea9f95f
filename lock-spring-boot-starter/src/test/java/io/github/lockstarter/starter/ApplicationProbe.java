package io.github.lockstarter.starter;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application without locks that prints its beans and responses.
 */
final class ApplicationProbe {

	/** The prefix of a line, and the separator between name and value. */
	static final String SEEN = " -> ";

	private ApplicationProbe() {
	}

	/** Starts the application, requests some pages, and prints all of its beans. */
	public static void main(String[] args) throws Exception {
		try (ConfigurableApplicationContext context = SpringApplication.run(Application.class, args)) {
			ConfigurableListableBeanFactory beans = context.getBeanFactory();
			for (String name : beans.getBeanDefinitionNames()) {
				if (!beans.getBeanDefinition(name).isAbstract()) {
					print("bean " + name, type(beans.getBean(name)) + " by " + origin(beans, name));
				}
			}
			print("cache manager", context.getBean(CacheManager.class).getClass().getSimpleName());
			int port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
			print("GET /visits", get(port, "/visits") + ", then " + get(port, "/visits"));
			print("GET /actuator/health", get(port, "/actuator/health"));
		}
	}

	private static void print(String what, String seen) {
		System.out.println(SEEN + what + SEEN + seen);
	}

	/** Removes generated parts of names, which differ in each run. */
	private static String type(Object bean) {
		return bean.getClass().getName().replaceAll("(\\$Proxy|\\$\\$|/0x).*", "$1");
	}

	private static String origin(ConfigurableListableBeanFactory beans, String name) {
		var definition = beans.getMergedBeanDefinition(name);
		String factory = definition.getFactoryBeanName();
		if (factory != null) {
			return beans.getType(factory).getName().replaceAll("\\$\\$.*", "");
		}
		return String.valueOf(definition.getBeanClassName());
	}

	private static String get(int port, String path) throws Exception {
		HttpResponse<String> response = HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
					HttpResponse.BodyHandlers.ofString());
		return response.statusCode() + " " + response.body();
	}

	@SpringBootApplication
	@EnableCaching
	static class Application {

		@RestController
		static class Visits {

			private int visits;

			@GetMapping("/visits")
			@Cacheable("visits")
			public Count visits() {
				return new Count(++this.visits);
			}

		}

		/** Not serializable. */
		record Count(int visits) {
		}

	}

}
