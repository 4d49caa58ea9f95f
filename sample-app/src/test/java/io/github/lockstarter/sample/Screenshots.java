package io.github.lockstarter.sample;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Screenshots for the README.
 */
final class Screenshots {

	private Screenshots() {
	}

	/** Writes the images side by side. */
	static void write(String name, int margin, byte[]... pictures) {
		byte[] png = row(margin, Stream.of(pictures).map(Screenshots::read).toList());
		Path folder = Path.of(System.getProperty("screenshots", "target/screenshots"));
		try {
			Files.createDirectories(folder);
			Files.write(folder.resolve(name), png);
			assertThat(png.length).as("bytes of " + name).isLessThan(150_000);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Draws the images side by side. The file of a single image also becomes smaller than
	 * the browser's.
	 */
	private static byte[] row(int margin, List<BufferedImage> pictures) {
		int width = pictures.stream().mapToInt((picture) -> picture.getWidth() + margin).sum() + margin;
		int height = pictures.stream().mapToInt(BufferedImage::getHeight).max().orElseThrow() + 2 * margin;
		BufferedImage row = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
		Graphics2D graphics = row.createGraphics();
		graphics.setColor(Color.WHITE);
		graphics.fillRect(0, 0, width, height);
		int x = margin;
		for (BufferedImage picture : pictures) {
			graphics.drawImage(picture, x, margin, null);
			x += picture.getWidth() + margin;
		}
		graphics.dispose();
		ByteArrayOutputStream png = new ByteArrayOutputStream();
		try (ImageOutputStream out = new MemoryCacheImageOutputStream(png)) {
			ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next();
			ImageWriteParam small = writer.getDefaultWriteParam();
			small.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
			small.setCompressionQuality(0);
			writer.setOutput(out);
			writer.write(null, new IIOImage(row, null, null), small);
			writer.dispose();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return png.toByteArray();
	}

	private static BufferedImage read(byte[] png) {
		try {
			return ImageIO.read(new ByteArrayInputStream(png));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
