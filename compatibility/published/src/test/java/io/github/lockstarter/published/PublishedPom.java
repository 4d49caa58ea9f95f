package io.github.lockstarter.published;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * A POM as it is published.
 */
final class PublishedPom {

	private final Element project;

	private PublishedPom(Path folder) {
		try {
			this.project = DocumentBuilderFactory.newInstance()
				.newDocumentBuilder()
				.parse(folder.resolve(Path.of("target", ".flattened-pom.xml")).toFile())
				.getDocumentElement();
		}
		catch (IOException | SAXException | ParserConfigurationException ex) {
			throw new IllegalStateException("The modules have not been built: run 'mvn verify'", ex);
		}
	}

	/** Returns the POM of a module. */
	static PublishedPom of(String module) {
		return new PublishedPom(Path.of("..", "..", module));
	}

	/** Returns the published modules, except the BOM. */
	static List<String> modules() {
		return of("lock-bom").dependencies().stream().map(Dependency::artifact).toList();
	}

	/** Returns what the lowest supported Spring Boot manages. */
	static List<Dependency> lowest() {
		return new PublishedPom(Path.of("projects", "lowest")).dependencies();
	}

	/** Returns the names of the elements of the project. */
	List<String> elements() {
		return children(this.project).map(Element::getTagName).toList();
	}

	/** Returns the dependencies, or those that it manages. */
	List<Dependency> dependencies() {
		NodeList found = this.project.getElementsByTagName("dependency");
		return IntStream.range(0, found.getLength())
			.mapToObj((index) -> dependency((Element) found.item(index)))
			.toList();
	}

	private static Dependency dependency(Element element) {
		return new Dependency(text(element, "groupId"), text(element, "artifactId"), text(element, "version"),
				text(element, "scope"), text(element, "optional").equals("true"));
	}

	private static String text(Element element, String name) {
		return children(element).filter((child) -> child.getTagName().equals(name))
			.map(Node::getTextContent)
			.findFirst()
			.orElse("");
	}

	private static Stream<Element> children(Element element) {
		NodeList nodes = element.getChildNodes();
		return IntStream.range(0, nodes.getLength())
			.mapToObj(nodes::item)
			.filter(Element.class::isInstance)
			.map(Element.class::cast);
	}

	record Dependency(String group, String artifact, String version, String scope, boolean optional) {

		/** Returns its folder in a repository. */
		Path folder() {
			return Path.of(this.group.replace('.', '/'), this.artifact);
		}

	}

}
