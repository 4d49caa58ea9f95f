package io.github.lockstarter.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;

import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.PageLoadStrategy;
import org.openqa.selenium.Point;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;

import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A headless browser of this machine. Nothing is downloaded for it.
 */
final class Browser implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final Path profile = profile();

	private final ChromeDriver driver;

	Browser() {
		ChromeOptions options = new ChromeOptions();
		options.setBinary(program("chromium").toFile());
		// Tests wait for the elements that they check; a click does not wait.
		options.setPageLoadStrategy(PageLoadStrategy.NONE);
		options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
				"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
				"--hide-scrollbars", "--user-data-dir=" + this.profile);
		LoggingPreferences logs = new LoggingPreferences();
		logs.enable(LogType.BROWSER, Level.ALL);
		options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
		this.driver = new ChromeDriver(
				new ChromeDriverService.Builder().usingDriverExecutable(program("chromedriver").toFile()).build(),
				options);
	}

	private static Path program(String name) {
		return Arrays.stream(System.getenv("PATH").split(":"))
			.map((folder) -> Path.of(folder, name))
			.filter(Files::isExecutable)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException(
					"No %s on the PATH: the tests of the page need chromium and chromedriver, on Debian by apt-get install chromium chromium-driver"
						.formatted(name)));
	}

	private static Path profile() {
		try {
			return Files.createTempDirectory("browser");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	ChromeDriver driver() {
		return this.driver;
	}

	/** Opens an address, and waits until the page is complete. */
	void open(String url) {
		this.driver.get("about:blank");
		this.driver.get(url);
		awaitPage(url);
	}

	/** Waits for a complete page at an address with this prefix. */
	void awaitPage(String url) {
		await(() -> is("location.href.startsWith(arguments[0]) && document.readyState === 'complete'", url));
	}

	/**
	 * Waits until the condition is true. If the page follows a run, the condition reads
	 * it only once.
	 */
	void await(BooleanSupplier condition) {
		new WebDriverWait(this.driver, PATIENCE, Duration.ofMillis(20)).until((driver) -> condition.getAsBoolean());
	}

	/** Finds an element of a page that does not change. */
	WebElement find(String selector) {
		return this.driver.findElement(By.cssSelector(selector));
	}

	int count(String selector) {
		return this.driver.findElements(By.cssSelector(selector)).size();
	}

	/** Returns the visible text of the only element with this selector. */
	String text(String selector) {
		List<String> texts = texts(selector);
		assertThat(texts).as(selector).hasSize(1);
		return texts.get(0);
	}

	/**
	 * Returns the visible texts of all elements with this selector, as they are at one
	 * moment.
	 */
	List<String> texts(String selector) {
		return list("[...document.querySelectorAll(arguments[0])].map((element) => element.innerText.trim())",
				selector);
	}

	/** Evaluates an expression whose value is an array of texts. */
	List<String> list(String expression, Object... arguments) {
		return ((List<?>) script(expression, arguments)).stream().map(Object::toString).toList();
	}

	/** Evaluates a condition. */
	boolean is(String expression, Object... arguments) {
		return (boolean) script("!!(" + expression + ")", arguments);
	}

	/**
	 * Evaluates an expression. A page that follows a run replaces its elements, so what
	 * is read together has to be in one expression.
	 */
	Object script(String expression, Object... arguments) {
		return Objects.requireNonNull(this.driver.executeScript("return " + expression, arguments), expression);
	}

	/** Scrolls an element into view, and returns its middle. */
	Point middle(String selector) {
		List<String> middle = list("""
				[document.querySelector(arguments[0])].flatMap((element) => {
				  element.scrollIntoView({ block: 'center', behavior: 'instant' });
				  const place = element.getBoundingClientRect();
				  return [Math.round(place.x + place.width / 2), Math.round(place.y + place.height / 2)];
				})""", selector);
		return new Point(Integer.parseInt(middle.get(0)), Integer.parseInt(middle.get(1)));
	}

	/** Clicks at the place, whatever is there. */
	void click(Point point) {
		for (String type : List.of("mousePressed", "mouseReleased")) {
			this.driver.executeCdpCommand("Input.dispatchMouseEvent",
					Map.of("type", type, "x", point.x, "y", point.y, "button", "left", "clickCount", 1));
		}
	}

	/** Emulates a screen of this size, and a phone if it is small. */
	void screen(int width, int height, double scale) {
		this.driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", scale, "mobile", width < 500));
	}

	void colorScheme(String scheme) {
		this.driver.executeCdpCommand("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
	}

	byte[] picture() {
		return this.driver.getScreenshotAs(OutputType.BYTES);
	}

	byte[] picture(String selector) {
		return find(selector).getScreenshotAs(OutputType.BYTES);
	}

	/** Returns the errors in the console since the last call. */
	List<String> errors() {
		return this.driver.manage()
			.logs()
			.get(LogType.BROWSER)
			.getAll()
			.stream()
			.filter((entry) -> entry.getLevel().intValue() >= Level.SEVERE.intValue())
			.map(LogEntry::getMessage)
			.toList();
	}

	@Override
	public void close() {
		this.driver.quit();
		FileSystemUtils.deleteRecursively(this.profile.toFile());
	}

}
