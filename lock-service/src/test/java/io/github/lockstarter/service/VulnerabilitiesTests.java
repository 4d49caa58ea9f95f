package io.github.lockstarter.service;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.testing.Python;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The program that compares the dependencies of the applications with known
 * vulnerabilities.
 */
class VulnerabilitiesTests {

	private static final Path PROGRAM = Path.of("..", ".ci", "vulnerabilities").toAbsolutePath();

	@TempDir
	private Path directory;

	private Path known;

	@BeforeEach
	void write() throws IOException {
		this.known = Files.writeString(this.directory.resolve("known.tsv"), """
				# Vulnerabilities as of %s.
				com.example:all	1.2.0	1.2.10	CVE-1
				com.example:old	0	<=3.1	CVE-2
				com.example:open	2.0		CVE-3
				com.example:other
				com.example:zeros	2.0.0	4.2.0	CVE-5
				org.example:*	1.0	1.5.Final	CVE-4
				org.example.safe:*
				""".formatted(LocalDate.now()));
	}

	@Test
	@DisplayName("A dependency in the range of a vulnerability fails the check, which names both")
	void vulnerable() throws Exception {
		Result result = run("--known", this.known.toString(),
				list("com.example:all@1.2.0", "com.example:all@1.2.9.Final", "com.example:old@3.1",
						"com.example:old@3.1-android", "com.example:old@3.1.0", "com.example:open@9.0",
						"org.example:any@1.4.2", "com.example:zeros@4.1.9", "com.example:zeros@4.2.0-RC1",
						"com.example:zeros@4.2.0.M2", "com.example:zeros@4.2.0-SNAPSHOT", "com.example:zeros@2"));
		assertThat(result.exitCode).as(result.output).isOne();
		assertThat(result.output).contains("com.example:all 1.2.0: CVE-1", "com.example:all 1.2.9.Final: CVE-1",
				"com.example:old 3.1: CVE-2", "com.example:old 3.1-android: CVE-2", "com.example:old 3.1.0: CVE-2",
				"com.example:open 9.0: CVE-3", "org.example:any 1.4.2: CVE-4", "com.example:zeros 4.1.9: CVE-5",
				"com.example:zeros 4.2.0-RC1: CVE-5", "com.example:zeros 4.2.0.M2: CVE-5",
				"com.example:zeros 4.2.0-SNAPSHOT: CVE-5", "com.example:zeros 2: CVE-5");
	}

	@Test
	@DisplayName("Dependencies outside of the ranges of all vulnerabilities pass the check")
	void notVulnerable() throws Exception {
		Result result = run("--known", this.known.toString(),
				list("com.example:all@1.2.10", "com.example:all@1.1.9", "com.example:all@1.10.0", "com.example:old@3.2",
						"com.example:old@3.1.0.1", "com.example:open@1.9", "org.example:any@1.5.Final",
						"com.example:other@1.2.5", "org.example.safe:any@1.2.5", "com.example:zeros@4.2",
						"com.example:zeros@4.2.0.0.Final", "com.example:zeros@4.2.1-RC1"));
		assertThat(result.exitCode).as(result.output).isZero();
		assertThat(result.output).contains("12 dependencies, 0 known vulnerabilities as of " + LocalDate.now());
	}

	@Test
	@DisplayName("A vulnerability up to a version is reported with this version, not as fixed in it")
	void upTo() throws Exception {
		Result result = run("--known", this.known.toString(), list("com.example:old@3.0"));
		assertThat(result.output).contains("com.example:old 3.0: CVE-2, up to 3.1").doesNotContain("fixed in");
	}

	@ParameterizedTest
	@ValueSource(strings = { "com.example:new", "org.example.other:any" })
	@DisplayName("A dependency that was never looked up fails the check, which names it and says what to do")
	void neverLookedUp(String name) throws Exception {
		Result result = run("--known", this.known.toString(), list(name + "@1.0"));
		assertThat(result.exitCode).as(result.output).isOne();
		assertThat(result.output).contains(name + " was never looked up")
			.contains("Run .ci/vulnerabilities --update. Or search public reports, and add to known.tsv");
	}

	@Test
	@DisplayName("An accepted vulnerability passes the check, which prints the reason, and says when to look for a fix again")
	void accepted() throws Exception {
		Path accepted = this.directory.resolve("accepted.tsv");
		String list = list("com.example:all@1.2.0");
		Files.writeString(accepted, "com.example:*\tCVE-1\t%s\tNothing calls it.\n".formatted(LocalDate.now()));
		Result result = run("--known", this.known.toString(), "--accepted", accepted.toString(), list);
		assertThat(result.exitCode).as(result.output).isZero();
		assertThat(result.output).contains("CVE-1, fixed in 1.2.10; accepted: Nothing calls it.")
			.contains("1 dependencies, 1 known vulnerabilities")
			.contains("1 of them accepted")
			.doesNotContain("look for");
		Files.writeString(accepted, "com.example:*\tCVE-1\t2020-01-31\tNothing calls it.\n");
		assertThat(run("--known", this.known.toString(), "--accepted", accepted.toString(), list).output)
			.contains("CVE-1 was accepted until 2020-01-31: look for a version with a fix");
		Files.writeString(accepted, "com.example:*\tCVE-2\t2020-01-31\tNothing calls it.\n");
		assertThat(run("--known", this.known.toString(), "--accepted", accepted.toString(), list).exitCode).isOne();
	}

	@Test
	@DisplayName("The dependencies of this application were looked up, have no known vulnerability that is not accepted, and the list has a date")
	void thisApplication() throws Exception {
		Result result = run("target/classes/META-INF/sbom/application.cdx.json");
		assertThat(result.exitCode).as(result.output).isZero();
		assertThat(result.output).containsPattern("\\d{3} dependencies, \\d+ known vulnerabilities as of \\d{4}-");
		assertThat(Files.readAllLines(PROGRAM.resolveSibling("vulnerabilities.tsv")))
			.allSatisfy((line) -> assertThat(line)
				.matches("#.*|[^\t]+:[^\t]+(\t[^\t]+\t[^\t]*\t((CVE|GHSA)-|https://)[^\t]+)?"));
	}

	@Test
	@DisplayName("An old list of vulnerabilities is reported, and does not fail the check")
	void old() throws Exception {
		Files.writeString(this.known, "# Vulnerabilities as of 2020-01-31.\ncom.example:all\n");
		Result result = run("--known", this.known.toString(), list("com.example:all@1.2.0"));
		assertThat(result.exitCode).as(result.output).isZero();
		assertThat(result.output).contains("known.tsv was last updated on 2020-01-31: run");
	}

	@Test
	@DisplayName("Without a list of dependencies, the check fails, and says how to make one")
	void noList() throws Exception {
		Result result = run("--known", this.known.toString(),
				Files.writeString(this.directory.resolve("empty"), "{}").toString());
		assertThat(result.exitCode).isNotZero();
		assertThat(result.output).contains("mvn package");
	}

	@ParameterizedTest
	@ValueSource(strings = { "com.example:all 1.2.0 1.2.10 CVE-1", " com.example:all", "com.example:all\t1.2.0\tCVE-1",
			"example" })
	@DisplayName("A line that has neither four columns nor only a name fails the check, which says where it is")
	void malformed(String line) throws Exception {
		Files.writeString(this.known, "# Vulnerabilities as of 2026-11-26.\n" + line + "\n");
		Result result = run("--known", this.known.toString(), list("com.example:all@1.2.0"));
		assertThat(result.exitCode).isOne();
		assertThat(result.output).contains("known.tsv, line 2: there must be 4 columns").doesNotContain("Traceback");
	}

	@Test
	@DisplayName("An update writes all ranges of versions that the service knows of the dependencies, on several pages")
	void update() throws Exception {
		List<String> questions = update("""
				{"next_page_token":"2","vulns":[{"id":"GHSA-7","aliases":["CVE-7"],"affected":[
				  {"package":{"name":"com.example:another"},"ranges":[
				    {"type":"ECOSYSTEM","events":[{"introduced":"0"}]}]},
				  {"package":{"name":"com.example:all"},"ranges":[{"type":"ECOSYSTEM","events":[
				    {"introduced":"0"},{"fixed":"1.1"},{"introduced":"2.0"}]}]}]}]}""", """
				{"vulns":[{"id":"GHSA-9","affected":[{"package":{"name":"com.example:all"},"ranges":[
				    {"type":"SEMVER","events":[{"introduced":"3.0"},{"last_affected":"3.3"}]}]}]},
				  {"id":"GHSA-8","withdrawn":"2026-01-01","affected":[{"package":{"name":"com.example:all"},
				  "ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0"}]}]}]}]}""");
		assertThat(questions).hasSize(2).allMatch((question) -> question.contains("\"com.example:all\""));
		assertThat(questions.get(1)).contains("\"page_token\": \"2\"");
		assertThat(Files.readAllLines(this.known)).first().asString().contains(LocalDate.now().toString());
		assertThat(rows()).containsExactly("com.example:all\t0\t1.1\tCVE-7", "com.example:all\t2.0\t\tCVE-7",
				"com.example:all\t3.0\t<=3.3\tGHSA-9");
	}

	@Test
	@DisplayName("An update ignores ranges of commits")
	void updateWithCommits() throws Exception {
		update("""
				{"vulns":[{"id":"GHSA-7","affected":[{"package":{"name":"com.example:all"},"ranges":[
				  {"type":"GIT","events":[{"introduced":"0"},{"fixed":"5a1f00e"}]},
				  {"type":"ECOSYSTEM","events":[{"introduced":"0"},{"fixed":"1.1"}]}]}]}]}""");
		assertThat(rows()).containsExactly("com.example:all\t0\t1.1\tGHSA-7");
	}

	@Test
	@DisplayName("An update writes only the name of a dependency of which the service knows no vulnerability")
	void updateWithoutVulnerability() throws Exception {
		update("{}");
		assertThat(rows()).containsExactly("com.example:all");
	}

	/**
	 * Updates the list for one dependency by a service with these responses.
	 * @return the questions to the service
	 */
	private List<String> update(String... responses) throws Exception {
		List<String> questions = new ArrayList<>();
		HttpServer service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		service.createContext("/v1/query", (exchange) -> {
			byte[] response = responses[questions.size()].getBytes(StandardCharsets.UTF_8);
			questions.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
			exchange.sendResponseHeaders(200, response.length);
			exchange.getResponseBody().write(response);
			exchange.close();
		});
		service.start();
		try {
			String url = "http://127.0.0.1:" + service.getAddress().getPort();
			Result result = run(Map.of("OSV_URL", url, "no_proxy", "*"), "--update", "--known", this.known.toString(),
					list("com.example:all@1.2.0"));
			assertThat(result.exitCode).as(result.output).isZero();
			return questions;
		}
		finally {
			service.stop(0);
		}
	}

	private List<String> rows() throws IOException {
		return Files.readAllLines(this.known).stream().filter((line) -> !line.startsWith("#")).toList();
	}

	/** Writes a list of dependencies, each as {@code group:name@version}. */
	private String list(String... dependencies) throws IOException {
		String components = Stream.of(dependencies)
			.map((each) -> "{\"purl\":\"pkg:maven/%s?type=jar\"}".formatted(each.replace(':', '/')))
			.collect(Collectors.joining(","));
		return Files.writeString(this.directory.resolve("list.json"), "{\"components\":[%s]}".formatted(components))
			.toString();
	}

	private static Result run(String... arguments) throws Exception {
		return run(Map.of(), arguments);
	}

	private static Result run(Map<String, String> environment, String... arguments) throws Exception {
		ProcessBuilder builder = new ProcessBuilder(
				Stream.concat(Stream.of(Python.program().toString(), PROGRAM.toString()), Stream.of(arguments))
					.toList())
			.redirectErrorStream(true);
		builder.environment().putAll(environment);
		Process process = builder.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		return new Result(process.waitFor(), output);
	}

	private record Result(int exitCode, String output) {
	}

}
