import type { Locator } from 'playwright-core';
import decodeQR from 'qr/decode.js';

interface Points {
  readonly width: number;
  readonly height: number;
  readonly data: readonly number[];
}

/** What the camera of a telephone reads off the screen where this picture is. @throws where there is no code that can be read */
export async function scanPicture(picture: Locator): Promise<string> {
  await picture.waitFor();
  const png = await picture.screenshot();
  const { width, height, data } = await pointsOf(picture, png.toString('base64'));
  // Without a hurry: how long it takes is not what is tried here.
  return decodeQR({ width, height, data: Uint8Array.from(data) }, { timeLimit: 30_000 });
}

/** The browser unpacks its own screenshot, in a canvas that the page never sees. */
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
