/** A separate canvas that is never part of the page. `undefined` if the browser provides none. */
export function newDrawing(width: number, height: number): CanvasRenderingContext2D | undefined {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  return canvas.getContext('2d') ?? undefined;
}
