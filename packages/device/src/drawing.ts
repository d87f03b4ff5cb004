/** A canvas of its own that is never part of the page. `undefined` when the browser gives none. */
export function newDrawing(width: number, height: number): CanvasRenderingContext2D | undefined {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  return canvas.getContext('2d') ?? undefined;
}
