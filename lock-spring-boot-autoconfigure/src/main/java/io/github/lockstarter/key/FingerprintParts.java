package io.github.lockstarter.key;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

import tools.jackson.core.JsonPointer;

/**
 * The parts of a request that are left out of its fingerprint, and those that are added.
 *
 * @param withoutParameters the names of parameters that are left out
 * @param withoutParts the names of parts of a multipart body that are left out
 * @param withoutMembers the members of a JSON body that are left out
 * @param headers the names of headers that are added, in lower case
 */
public record FingerprintParts(Set<String> withoutParameters, Set<String> withoutParts,
		List<JsonPointer> withoutMembers, Set<String> headers) {

	/** Nothing is left out or added. */
	public static final FingerprintParts ALL = new FingerprintParts(Set.of(), Set.of(), List.of(), Set.of());

	/**
	 * Parses texts.
	 * @param texts {@code -param.<name>}, {@code -part.<name>}, {@code -/<member>}, which
	 * is a JSON pointer into the body, or {@code +header.<name>}
	 * @throws IllegalArgumentException if one of them is none of these
	 */
	public static FingerprintParts parse(List<String> texts) {
		Set<String> parameters = new HashSet<>();
		Set<String> parts = new HashSet<>();
		List<JsonPointer> members = new ArrayList<>();
		Set<String> headers = new TreeSet<>();
		for (String text : texts) {
			if (text.matches("-param\\..+")) {
				parameters.add(text.substring("-param.".length()));
			}
			else if (text.matches("-part\\..+")) {
				parts.add(text.substring("-part.".length()));
			}
			else if (text.matches("-/.+")) {
				members.add(JsonPointer.compile(text.substring(1)));
			}
			else if (text.matches("\\+header\\..+")) {
				headers.add(text.substring("+header.".length()).toLowerCase(Locale.ROOT));
			}
			else {
				throw new IllegalArgumentException(
						"fingerprint '%s' is neither -param.<name>, -part.<name>, -/<member>, nor +header.<name>"
							.formatted(text));
			}
		}
		return new FingerprintParts(parameters, parts, members, headers);
	}

}
