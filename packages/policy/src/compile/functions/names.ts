import { textLengthMax, workedLength } from '../bounds.ts';
import { definer, type FunctionDefinition } from './definition.ts';
import { shares } from '../../facts/number-range.ts';
import { plainLetters } from './plain-letters.ts';
import { jaroWinkler, nameLengthMax, nameSimilarity, wordsMax } from './similarity.ts';

const define = definer('names');

/** Functions that compare what people write, who write the same thing differently. */
export const names: readonly FunctionDefinition[] = [
  define('similarity(string, string): double', {
    doc: `How alike two texts are, from 0 to 1 for equal, by Jaro and Winkler: slips of the keyboard cost little, above all behind a common beginning. Missing when one is longer than ${nameLengthMax} characters.`,
    example: 'similarity(account.email, transaction.details["email"]) > 0.9',
    cost: 500,
    range: shares,
    apply: (a: string, b: string) => (Math.max(a.length, b.length) > nameLengthMax ? undefined : jaroWinkler(a, b)),
  }),
  define('nameSimilarity(string, string): double', {
    doc: `How alike two names are, from 0 to 1, whatever the order of their words, their capitals and their accents: \`José Peña Ruiz\` and \`RUIZ PENA, JOSE\` are 1. That holds for Latin, Greek, Cyrillic, Armenian and Georgian letters; others are compared as they are. Missing when one is longer than ${nameLengthMax} characters or has more than ${wordsMax} words.`,
    example: 'nameSimilarity(transaction.details["payeeName"], transaction.details["holderName"]) < 0.7',
    cost: 1_500,
    range: shares,
    apply: nameSimilarity,
  }),
  define('string.plain(): string', {
    doc: `The text in small letters without accents, to search what people typed: \`Canción\` is \`cancion\`. That holds for Latin, Greek, Cyrillic, Armenian and Georgian letters; others stay as they are. Missing when it is longer than ${textLengthMax} characters.`,
    example: 'transaction.description.plain().contains("regalo")',
    cost: (value) => 15 + workedLength(value.length) / 2,
    length: (value) => workedLength(2 * value.length),
    apply: (value: string) => (value.length > textLengthMax ? undefined : plainLetters(value)),
  }),
];
