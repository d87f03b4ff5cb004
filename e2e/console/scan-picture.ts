import type { Locator } from 'playwright-core';
import decodeQR from 'qr/decode.js';

interface Points {
  readonly width: number;
  readonly height: number;
  readonly data: readonly number[];
}

/** Decodes the QR code in a screenshot of this element, like the camera of a phone. @throws if it cannot be read */
export async function scanPicture(picture: Locator): Promise<string> {
  await picture.waitFor();
  const png = await picture.screenshot();
  const { width, height, data } = await pointsOf(picture, png.toString('base64'));
  // Without a time limit: speed is not under test.
  return decodeQR({ width, height, data: Uint8Array.from(data) }, { timeLimit: 30_000 });
}

/** The browser decodes its own screenshot, in a canvas outside of the page. */
function pointsOf(picture: Locator, base64: string): Promise<Points> {
  return picture.page().evaluate<Points>(`(async () => {
    const bytes = Uint8Array.from(atob('${base64}'), (sign) => sign.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    const { width, height, data } = canvas.getImageData(0, 0, image.width, image.height);
    return { width, height, data: [...data] };
  })()`);
}
