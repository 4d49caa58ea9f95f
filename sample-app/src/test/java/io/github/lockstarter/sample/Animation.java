package io.github.lockstarter.sample;

import java.awt.Rectangle;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.ImageTypeSpecifier;
import javax.imageio.ImageWriter;
import javax.imageio.metadata.IIOMetadata;
import javax.imageio.metadata.IIOMetadataNode;
import javax.imageio.stream.FileImageInputStream;
import javax.imageio.stream.FileImageOutputStream;

/**
 * A GIF, at the speed at which its pictures were taken. From the second on, only what has
 * changed is stored.
 */
final class Animation {

	private static final String FORMAT = "javax_imageio_gif_image_1.0";

	private static final Duration END = Duration.ofSeconds(4);

	private final List<Frame> frames = new ArrayList<>();

	private long last = System.nanoTime();

	/** Adds a picture that is shown for as long as it took to take it. */
	void add(Picture picture) {
		long now = System.nanoTime();
		add(picture, Duration.ofNanos(now - this.last));
		this.last = now;
	}

	/** Adds the last picture, which is shown until the animation begins again. */
	void end(Picture picture) {
		add(picture, END);
	}

	private void add(Picture picture, Duration time) {
		this.frames.add(new Frame(picture.image(), time));
	}

	void write(Path file) throws IOException {
		Files.createDirectories(file.getParent());
		Files.deleteIfExists(file);
		ImageWriter writer = ImageIO.getImageWritersByFormatName("gif").next();
		try (FileImageOutputStream out = new FileImageOutputStream(file.toFile())) {
			writer.setOutput(out);
			writer.prepareWriteSequence(null);
			BufferedImage before = null;
			for (Frame frame : this.frames) {
				Rectangle changed = (before != null) ? changed(before, frame.image())
						: new Rectangle(frame.image().getWidth(), frame.image().getHeight());
				BufferedImage part = frame.image().getSubimage(changed.x, changed.y, changed.width, changed.height);
				IIOMetadata metadata = metadata(writer, part, changed, frame.time(), before == null);
				writer.writeToSequence(new IIOImage(part, null, metadata), null);
				before = frame.image();
			}
			writer.endWriteSequence();
		}
		finally {
			writer.dispose();
		}
	}

	/** Returns the last picture of a GIF that was written by this class. */
	static Picture last(Path file) throws IOException {
		ImageReader reader = ImageIO.getImageReadersByFormatName("gif").next();
		try (FileImageInputStream in = new FileImageInputStream(file.toFile())) {
			reader.setInput(in);
			BufferedImage all = new BufferedImage(reader.getWidth(0), reader.getHeight(0), BufferedImage.TYPE_INT_RGB);
			for (int i = 0; i < reader.getNumImages(true); i++) {
				IIOMetadataNode place = node((IIOMetadataNode) reader.getImageMetadata(i).getAsTree(FORMAT),
						"ImageDescriptor");
				all.createGraphics()
					.drawImage(reader.read(i), Integer.parseInt(place.getAttribute("imageLeftPosition")),
							Integer.parseInt(place.getAttribute("imageTopPosition")), null);
			}
			return new Picture(all);
		}
		finally {
			reader.dispose();
		}
	}

	/**
	 * Returns the smallest rectangle outside of which both are the same: one pixel at
	 * least.
	 */
	private static Rectangle changed(BufferedImage before, BufferedImage after) {
		Rectangle changed = new Rectangle(0, 0, -1, -1);
		for (int y = 0; y < after.getHeight(); y++) {
			for (int x = 0; x < after.getWidth(); x++) {
				if (before.getRGB(x, y) != after.getRGB(x, y)) {
					changed.add(new Rectangle(x, y, 1, 1));
				}
			}
		}
		return changed.isEmpty() ? new Rectangle(1, 1) : changed;
	}

	private static IIOMetadata metadata(ImageWriter writer, BufferedImage part, Rectangle place, Duration time,
			boolean first) throws IOException {
		IIOMetadata metadata = writer.getDefaultImageMetadata(ImageTypeSpecifier.createFromRenderedImage(part), null);
		IIOMetadataNode root = (IIOMetadataNode) metadata.getAsTree(FORMAT);
		IIOMetadataNode descriptor = node(root, "ImageDescriptor");
		descriptor.setAttribute("imageLeftPosition", Integer.toString(place.x));
		descriptor.setAttribute("imageTopPosition", Integer.toString(place.y));
		IIOMetadataNode control = node(root, "GraphicControlExtension");
		control.setAttribute("disposalMethod", "doNotDispose");
		control.setAttribute("delayTime", Long.toString(time.toMillis() / 10));
		if (first) {
			IIOMetadataNode loop = new IIOMetadataNode("ApplicationExtension");
			loop.setAttribute("applicationID", "NETSCAPE");
			loop.setAttribute("authenticationCode", "2.0");
			loop.setUserObject(new byte[] { 1, 0, 0 });
			node(root, "ApplicationExtensions").appendChild(loop);
		}
		metadata.setFromTree(FORMAT, root);
		return metadata;
	}

	private static IIOMetadataNode node(IIOMetadataNode root, String name) {
		if (root.getElementsByTagName(name).getLength() == 0) {
			root.appendChild(new IIOMetadataNode(name));
		}
		return (IIOMetadataNode) root.getElementsByTagName(name).item(0);
	}

	/**
	 * A picture and its time.
	 *
	 * @param image the picture
	 * @param time how long it is shown
	 */
	private record Frame(BufferedImage image, Duration time) {

	}

}
