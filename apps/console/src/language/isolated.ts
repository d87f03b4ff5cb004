/** Characters that are written from right to left, or that force this direction. */
const turning =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\u200F\u202A-\u202E\u2066-\u2069]/u;
const controls = /[\u202A-\u202E\u2066-\u2069]/g;

/**
 * Isolates the text direction of a value from the sentence around it. Control characters that could end the isolation
 * are replaced by U+FFFD.
 */
export function isolated(value: string): string {
  return turning.test(value) ? `\u2068${value.replaceAll(controls, '\uFFFD')}\u2069` : value;
}
