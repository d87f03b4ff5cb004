import { textLengthMax, workedLength } from '../bounds.ts';
import { definer, type FunctionDefinition } from './definition.ts';
import { shares } from '../../facts/number-range.ts';
import { plainLetters } from './plain-letters.ts';
import { jaroWinkler, nameLengthMax, nameSimilarity, wordsMax } from './similarity.ts';

const define = definer('names');

/** Functions that compare texts typed by people, who write the same thing in different ways. */
export const names: readonly FunctionDefinition[] = [
  define('similarity(string, string): double', {
    doc: `The similarity of two texts, from 0 to 1 for equal, by Jaro and Winkler: typing errors cost little, especially after a common beginning. Of a longer text the first ${nameLengthMax} characters are compared.`,
    example: 'similarity(account.email, transaction.details["email"]) > 0.9',
    cost: 500,
    range: shares,
    apply: (a: string, b: string) => jaroWinkler(a.slice(0, nameLengthMax), b.slice(0, nameLengthMax)),
  }),
  define('nameSimilarity(string, string): double', {
    doc: `The similarity of two names, from 0 to 1, ignoring the order of their words, case and accents: \`José Peña Ruiz\` and \`RUIZ PENA, JOSE\` are 1. That applies to Latin, Greek, Cyrillic, Armenian and Georgian letters; others are compared unchanged. Characters that show nothing are ignored. Of a longer text the first ${nameLengthMax} characters and ${wordsMax} words are compared.`,
    example: 'nameSimilarity(transaction.details["payeeName"], transaction.details["holderName"]) < 0.7',
    cost: 1_500,
    range: shares,
    apply: nameSimilarity,
  }),
  define('string.plain(): string', {
    doc: `The text in lower case without accents and without characters that show nothing (zero-width spaces, soft hyphens), to search text typed by people: \`Canción\` is \`cancion\`. That applies to Latin, Greek, Cyrillic, Armenian and Georgian letters; others stay unchanged. Of a longer text the first ${textLengthMax} characters.`,
    example: 'transaction.description.plain().contains("regalo")',
    cost: (value) => 15 + workedLength(value.length) / 2,
    length: (value) => workedLength(2 * value.length),
    apply: (value: string) => plainLetters(value.slice(0, textLengthMax)),
  }),
];
