/** The languages in which inputs of models are put into words. */
export const wordLanguages = ['en', 'es'] as const;
export type WordLanguage = (typeof wordLanguages)[number];

/** The same in each language. */
export type InWords = Readonly<Record<WordLanguage, string>>;

/** Who reads: people of the bank, or the client in a letter. */
export type Reader = 'staff' | 'client';

/** Both, for texts that depend on them. */
export interface Telling {
  readonly language: WordLanguage;
  readonly reader: Reader;
}

/** `el monto` after `de`: `del monto`. */
export function afterDe(noun: string): string {
  return noun.startsWith('el ') ? `del ${noun.slice('el '.length)}` : `de ${noun}`;
}

/** `el monto` after `a`: `al monto`. */
export function afterA(noun: string): string {
  return noun.startsWith('el ') ? `al ${noun.slice('el '.length)}` : `a ${noun}`;
}

/** Without the article: `monto`. English nouns have none here. */
export function bare(noun: string): string {
  return noun.replace(/^(?:el|la|los|las|su|sus) /, '');
}
