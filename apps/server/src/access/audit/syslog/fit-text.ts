/** Ends a text that was cut. */
const cutMark = '…';
const cutMarkBytes = Buffer.byteLength(cutMark);

/**
 * Escapes a text, and cuts it to `bytesMax` bytes of UTF-8, never within a character or its escape.
 *
 * @param escape acts on each character by itself
 */
export function fitText(
  text: string,
  escape: (text: string) => string,
  bytesMax: number,
): { readonly text: string; readonly isCut: boolean } {
  const whole = escape(text);
  if (Buffer.byteLength(whole) <= bytesMax) return { text: whole, isCut: false };
  let kept = '';
  let bytes = cutMarkBytes;
  for (const character of text) {
    const escaped = escape(character);
    bytes += Buffer.byteLength(escaped);
    if (bytes > bytesMax) break;
    kept += escaped;
  }
  return { text: kept + cutMark, isCut: true };
}

/** Characters that a receiver could take for the end of a line, or a terminal for a command. */
const control = /\p{Cc}/gu;

export function withoutControl(text: string): string {
  return text.replaceAll(control, '\uFFFD');
}
