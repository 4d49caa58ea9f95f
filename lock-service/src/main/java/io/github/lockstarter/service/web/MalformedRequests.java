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
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;

import io.github.lockstarter.service.Problem;

/**
 * Answers input that never becomes a request of the application with problem details,
 * too: requests that are too long or not HTTP.
 */
@Component
class MalformedRequests implements NettyServerCustomizer {

	private static final String NAME = "malformedRequests";

	private final JsonMapper json;

	MalformedRequests(JsonMapper json) {
		this.json = json;
	}

	@Override
	public HttpServer apply(HttpServer server) {
		return server.doOnChannelInit((observer, channel, address) -> {
			// HTTP/2 handles malformed requests differently.
			if (channel.pipeline().get(NettyPipeline.HttpTrafficHandler) != null) {
				channel.pipeline().addBefore(NettyPipeline.HttpTrafficHandler, NAME, new Handler(this.json));
			}
		});
	}

	private static final class Handler extends ChannelDuplexHandler {

		/**
		 * A client that is still sending would not receive the answer if the connection
		 * was closed at once.
		 */
		private static final int LINGER_SECONDS = 1;

		private final JsonMapper json;

		private boolean refused;

		/** The number of unanswered requests of this connection. */
		private int unanswered;

		Handler(JsonMapper json) {
			this.json = json;
		}

		@Override
		public void channelRead(ChannelHandlerContext context, Object message) {
			FullHttpResponse refusal = this.refused ? null : refusal(message);
			if (refusal == null && !this.refused) {
				this.unanswered += (message instanceof HttpRequest) ? 1 : 0;
				context.fireChannelRead(message);
				return;
			}
			ReferenceCountUtil.release(message);
			this.refused = true;
			// A malformed body is answered as part of its request.
			int others = this.unanswered - ((message instanceof HttpRequest) ? 0 : 1);
			if (refusal != null && others != 0) {
				// The client would take it as the answer to another request.
				refusal.release();
				context.close();
			}
			else if (refusal != null) {
				context.writeAndFlush(refusal);
				context.executor().schedule(() -> context.close(), LINGER_SECONDS, TimeUnit.SECONDS);
			}
			context.read();
		}

		@Override
		public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
			boolean preliminary = message instanceof HttpResponse response
					&& response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
			this.unanswered -= (message instanceof LastHttpContent && !preliminary) ? 1 : 0;
			context.write(message, promise);
		}

		private @Nullable FullHttpResponse refusal(Object message) {
			if (message instanceof HttpObject part && part.decoderResult().isFailure()) {
				Throwable cause = part.decoderResult().cause();
				return (cause instanceof TooLongHttpLineException)
						? refusal(HttpStatus.URI_TOO_LONG, "The path and its parameters are too long.")
						: (cause instanceof TooLongHttpHeaderException)
								? refusal(HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The headers are too long.")
								: refusal(HttpStatus.BAD_REQUEST, "This is not a request of HTTP/1.1.");
			}
			if (message instanceof HttpRequest request && request.protocolVersion().majorVersion() != 1) {
				return refusal(HttpStatus.BAD_REQUEST, "This is not a request of HTTP/1.1.");
			}
			if (message instanceof HttpRequest request && !isUri(request.uri())) {
				return refusal(HttpStatus.BAD_REQUEST, "The path is not valid: percent-encode the name of a lock.");
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

		private FullHttpResponse refusal(HttpStatus status, String detail) {
			byte[] body = this.json.writeValueAsBytes(Problem.invalid(status, detail));
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
