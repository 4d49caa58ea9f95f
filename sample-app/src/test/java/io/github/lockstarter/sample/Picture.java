package io.github.lockstarter.sample;

import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.FileImageOutputStream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A picture of the page.
 *
 * @param image its pixels
 */
record Picture(BufferedImage image) {

	/**
	 * The cells that are compared, across and down: an average hides how fonts are drawn.
	 */
	private static final int CELLS = 48;

	/** How far the brightness of one colour may differ, of 255. */
	private static final int TOLERANCE = 20;

	static Picture of(byte[] png) throws IOException {
		return new Picture(scaled(ImageIO.read(new ByteArrayInputStream(png)), 1));
	}

	/** Returns how much of the picture differs visibly from the other: 0 to 1. */
	double difference(Picture other) {
		BufferedImage mine = cells(this.image);
		BufferedImage others = cells(other.image);
		int different = 0;
		for (int i = 0; i < CELLS * CELLS; i++) {
			int a = mine.getRGB(i % CELLS, i / CELLS);
			int b = others.getRGB(i % CELLS, i / CELLS);
			boolean same = true;
			for (int shift : new int[] { 0, 8, 16 }) {
				same &= Math.abs(((a >> shift) & 0xff) - ((b >> shift) & 0xff)) <= TOLERANCE;
			}
			different += same ? 0 : 1;
		}
		return (double) different / (CELLS * CELLS);
	}

	/** Halves the picture until its pixels are averages, and then makes it a square. */
	private static BufferedImage cells(BufferedImage image) {
		BufferedImage smaller = image;
		while (smaller.getWidth() > 4 * CELLS) {
			smaller = scaled(smaller, 0.5);
		}
		return draw(smaller, CELLS, CELLS);
	}

	private static BufferedImage scaled(BufferedImage image, double factor) {
		return draw(image, (int) (image.getWidth() * factor), (int) (image.getHeight() * factor));
	}

	private static BufferedImage draw(BufferedImage image, int width, int height) {
		BufferedImage drawn = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
		Graphics2D graphics = drawn.createGraphics();
		graphics.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
		graphics.drawImage(image, 0, 0, width, height, null);
		graphics.dispose();
		return drawn;
	}

	/** Writes a PNG that is smaller than the browser's. */
	void write(Path file) throws IOException {
		Files.createDirectories(file.getParent());
		Files.deleteIfExists(file);
		ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next();
		ImageWriteParam small = writer.getDefaultWriteParam();
		small.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
		small.setCompressionQuality(0);
		try (FileImageOutputStream out = new FileImageOutputStream(file.toFile())) {
			writer.setOutput(out);
			writer.write(null, new IIOImage(this.image, null, null), small);
		}
		finally {
			writer.dispose();
		}
		assertThat(Files.size(file)).as("bytes of " + file).isLessThan(150_000);
	}

}
