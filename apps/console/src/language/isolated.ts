/** Letters and signs that are written, or make others be written, from right to left. */
const turning =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\u200F\u202A-\u202E\u2066-\u2069]/u;
const controls = /[\u202A-\u202E\u2066-\u2069]/g;

/**
 * A value as it stands within a sentence: whatever direction it is written in, the words around it keep theirs. A control
 * sign in it could end that again, and is shown as what it is not: a letter.
 */
export function isolated(value: string): string {
  return turning.test(value) ? `\u2068${value.replaceAll(controls, '\uFFFD')}\u2069` : value;
}
