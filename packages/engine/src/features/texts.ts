/** The texts of one entity (values counted distinct, currencies), each with a number: its place among them. */
export interface Texts {
  readonly count: number;
  /** -1 when the text has no number. */
  find(text: string): number;
  /** @throws InvariantError for a number that no text has */
  textOf(number: number): string;
}

export function allTexts(texts: Texts): string[] {
  return Array.from({ length: texts.count }, (_, number) => texts.textOf(number));
}
