package io.github.lockstarter.frontdoors.grpc;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;

import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;

/**
 * A service as the compiler of gRPC generates it, except that its messages are texts.
 */
final class PaymentsGrpc {

	static final List<String> METHODS = List.of("Pay", "PayPatiently", "PayLater", "Order", "Fail");

	private PaymentsGrpc() {
	}

	static MethodDescriptor<String, String> method(String name) {
		return MethodDescriptor.<String, String>newBuilder()
			.setType(MethodType.UNARY)
			.setFullMethodName(MethodDescriptor.generateFullMethodName("Payments", name))
			.setRequestMarshaller(new TextMarshaller())
			.setResponseMarshaller(new TextMarshaller())
			.build();
	}

	static ServerServiceDefinition bind(PaymentsImplBase service) {
		ServerServiceDefinition.Builder definition = ServerServiceDefinition.builder("Payments");
		List<BiConsumer<String, StreamObserver<String>>> methods = List.of(service::pay, service::payPatiently,
				service::payLater, service::order, service::fail);
		for (int i = 0; i < methods.size(); i++) {
			definition.addMethod(method(METHODS.get(i)), ServerCalls.asyncUnaryCall(methods.get(i)::accept));
		}
		return definition.build();
	}

	abstract static class PaymentsImplBase implements BindableService {

		@Override
		public final ServerServiceDefinition bindService() {
			return bind(this);
		}

		public abstract void pay(String id, StreamObserver<String> responses);

		public abstract void payPatiently(String id, StreamObserver<String> responses);

		public abstract void payLater(String id, StreamObserver<String> responses);

		public abstract void order(String id, StreamObserver<String> responses);

		public abstract void fail(String problem, StreamObserver<String> responses);

	}

	private static final class TextMarshaller implements Marshaller<String> {

		@Override
		public InputStream stream(String value) {
			return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
		}

		@Override
		public String parse(InputStream stream) {
			try {
				return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
