package io.github.lockstarter.service.web;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;
import reactor.netty.NettyPipeline;
import reactor.netty.http.server.HttpServer;

import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;

/**
 * Responds to input that never becomes a request of the application with problem details,
 * too: requests that are too long or not HTTP.
 */
@Component
class MalformedRequests implements NettyServerCustomizer {

	private static final String NAME = "malformedRequests";

	private final ProblemBodies problems;

	MalformedRequests(ProblemBodies problems) {
		this.problems = problems;
	}

	@Override
	public HttpServer apply(HttpServer server) {
		return server.doOnChannelInit((observer, channel, address) -> {
			// HTTP/2 handles malformed requests differently.
			if (channel.pipeline().get(NettyPipeline.HttpTrafficHandler) != null) {
				channel.pipeline().addBefore(NettyPipeline.HttpTrafficHandler, NAME, new Handler(this.problems));
			}
		});
	}

	private static final class Handler extends ChannelDuplexHandler {

		/**
		 * A client that is still sending would not receive the response if the connection
		 * was closed at once.
		 */
		private static final int LINGER_SECONDS = 1;

		private final ProblemBodies problems;

		private boolean rejected;

		/** The number of requests without a response on this connection. */
		private int withoutResponse;

		Handler(ProblemBodies problems) {
			this.problems = problems;
		}

		@Override
		public void channelRead(ChannelHandlerContext context, Object message) {
			FullHttpResponse rejection = this.rejected ? null : rejection(message);
			if (rejection == null && !this.rejected) {
				this.withoutResponse += (message instanceof HttpRequest) ? 1 : 0;
				context.fireChannelRead(message);
				return;
			}
			ReferenceCountUtil.release(message);
			this.rejected = true;
			// A malformed body is handled as part of its request.
			int others = this.withoutResponse - ((message instanceof HttpRequest) ? 0 : 1);
			if (rejection != null && others != 0) {
				// The client would take it as the response to another request.
				rejection.release();
				context.close();
			}
			else if (rejection != null) {
				context.writeAndFlush(rejection);
				context.executor().schedule(() -> context.close(), LINGER_SECONDS, TimeUnit.SECONDS);
			}
			context.read();
		}

		@Override
		public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
			boolean preliminary = message instanceof HttpResponse response
					&& response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
			this.withoutResponse -= (message instanceof LastHttpContent && !preliminary) ? 1 : 0;
			context.write(message, promise);
		}

		private @Nullable FullHttpResponse rejection(Object message) {
			if (message instanceof HttpObject part && part.decoderResult().isFailure()) {
				Throwable cause = part.decoderResult().cause();
				return (cause instanceof TooLongHttpLineException)
						? rejection(HttpStatus.URI_TOO_LONG, "The path and its parameters are too long.")
						: (cause instanceof TooLongHttpHeaderException)
								? rejection(HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The headers are too long.")
								: rejection(HttpStatus.BAD_REQUEST, "This is not a request of HTTP/1.1.");
			}
			if (message instanceof HttpRequest request && request.protocolVersion().majorVersion() != 1) {
				return rejection(HttpStatus.BAD_REQUEST, "This is not a request of HTTP/1.1.");
			}
			if (message instanceof HttpRequest request && !isUri(request.uri())) {
				return rejection(HttpStatus.BAD_REQUEST, "The path is not valid: percent-encode the name of a lock.");
			}
			return null;
		}

		private static boolean isUri(String text) {
			try {
				new URI(text);
				return true;
			}
			catch (URISyntaxException ex) {
				return false;
			}
		}

		private FullHttpResponse rejection(HttpStatus status, String detail) {
			byte[] body = this.problems.invalid(status, detail);
			FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1,
					HttpResponseStatus.valueOf(status.value()), Unpooled.wrappedBuffer(body));
			response.headers()
				.set(HttpHeaderNames.CONTENT_TYPE, MediaType.APPLICATION_PROBLEM_JSON_VALUE)
				.set(HttpHeaderNames.CONTENT_LENGTH, body.length)
				.set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
				.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
			return response;
		}

	}

}
