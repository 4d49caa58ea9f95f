package io.github.lockstarter.recipes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.testing.DocumentedCode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code of the recipes in the documentation is the code that the tests next to this
 * one run.
 */
@Tag("once")
class RecipesPageTests {

	private static final Path SOURCES = Path.of("src", "test", "java", "io", "github", "lockstarter", "recipes");

	private static final List<String> RECIPES = List.of("SignupController", "PaymentController", "ReportController",
			"NightlyReport", "ImportController", "WebhookController", "EventBatchController");

	@Test
	@DisplayName("Each block of Java on the page is a class that is tested")
	void java() throws IOException {
		List<String> tested = new ArrayList<>();
		for (String recipe : RECIPES) {
			tested.add(DocumentedCode.source(SOURCES.resolve(recipe + ".java"), "\n@").substring(1));
		}
		assertThat(RecipesPage.blocks("java")).containsExactlyElementsOf(tested);
	}

	@Test
	@DisplayName("The page of the form is the template that is tested, and the table is the one that is created")
	void resources() throws IOException {
		Path resources = Path.of("src", "test", "resources");
		assertThat(RecipesPage.blocks("html"))
			.containsExactly(Files.readString(resources.resolve("templates/signup.html")));
		assertThat(RecipesPage.blocks("sql")).containsExactly(Files.readString(resources.resolve("payment.sql")));
	}

}
