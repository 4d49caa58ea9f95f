package io.github.lockstarter.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;

import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.PageLoadStrategy;
import org.openqa.selenium.Point;
import org.openqa.selenium.Rectangle;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;

import org.springframework.util.FileSystemUtils;

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
		await(() -> this.driver.getCurrentUrl().startsWith(url) && "complete".equals(script("document.readyState")));
	}

	void await(BooleanSupplier condition) {
		new WebDriverWait(this.driver, PATIENCE, Duration.ofMillis(20)).ignoring(StaleElementReferenceException.class)
			.until((driver) -> condition.getAsBoolean());
	}

	WebElement find(String selector) {
		return this.driver.findElement(By.cssSelector(selector));
	}

	int count(String selector) {
		return this.driver.findElements(By.cssSelector(selector)).size();
	}

	List<String> texts(String selector) {
		return this.driver.findElements(By.cssSelector(selector)).stream().map(WebElement::getText).toList();
	}

	Object script(String expression) {
		return this.driver.executeScript("return " + expression);
	}

	Point middle(String selector) {
		Rectangle place = find(selector).getRect();
		return new Point(place.x + place.width / 2, place.y + place.height / 2);
	}

	/**
	 * Clicks an element. Repeats the click while the next page loads and elements are
	 * detached.
	 */
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
