package io.github.lockstarter.web.servlet;

import java.io.IOException;
import java.util.List;
import java.util.Map;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

import io.github.lockstarter.result.ReplayedResponseException;
import io.github.lockstarter.result.ResponseHead;
import io.github.lockstarter.result.SharedResult.Response;
import io.github.lockstarter.web.ReplayedHeader;

/**
 * Responds to a request with the response to an earlier one.
 */
public final class ReplayedResponseResolver implements HandlerExceptionResolver, Ordered {

	/** The attribute in which Spring Boot stores an exception for its error page. */
	private static final String ERROR_ATTRIBUTE = "org.springframework.boot.webmvc.error.DefaultErrorAttributes.ERROR";

	/** Ordered before resolvers that resolve every exception. */
	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception exception) {
		if (!(exception instanceof ReplayedResponseException replayed)) {
			return null;
		}
		// The error page must respond as it did before, and not show this exception.
		request.removeAttribute(ERROR_ATTRIBUTE);
		send(replayed.response(), request, response);
		return new ModelAndView();
	}

	/** Sends the response to an earlier request, outside of all filters if possible. */
	static void send(Response kept, HttpServletRequest request, HttpServletResponse response) {
		RecordedServletResponse recorded = RecordedServletResponse.of(request);
		if (recorded != null && kept.body() != null && request.getDispatcherType() != DispatcherType.INCLUDE
				&& request.getDispatcherType() != DispatcherType.FORWARD) {
			recorded.replay(kept);
		}
		else {
			sendTo(response, kept);
		}
	}

	static void sendTo(HttpServletResponse response, Response kept) {
		try {
			write(kept, response);
		}
		catch (IOException ex) {
			// The client has disconnected.
		}
	}

	private static void write(Response kept, HttpServletResponse response) throws IOException {
		setHead(kept.head(), response);
		byte[] body = kept.bytes();
		if (body != null) {
			response.setContentLength(body.length);
			response.getOutputStream().write(body);
		}
		else if (kept.reason() != null) {
			response.sendError(kept.status(), kept.reason());
		}
		else {
			response.sendError(kept.status());
		}
	}

	/** Marks the response as replayed, and sets the status and the headers. */
	private static void setHead(ResponseHead head, HttpServletResponse response) {
		response.setHeader(ReplayedHeader.NAME, ReplayedHeader.VALUE);
		Integer status = head.status();
		if (status != null) {
			response.setStatus(status);
		}
		boolean redirect = status != null && status / 100 == 3;
		for (Map.Entry<String, List<String>> header : head.headers().entrySet()) {
			List<String> values = header.getValue();
			boolean encoded = redirect && header.getKey().equals(HttpHeaders.LOCATION);
			response.setHeader(header.getKey(), encoded ? response.encodeRedirectURL(values.get(0)) : values.get(0));
			values.stream().skip(1).forEach((value) -> response.addHeader(header.getKey(), value));
		}
	}

}
