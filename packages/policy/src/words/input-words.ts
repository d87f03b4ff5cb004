/**
 * What an input of a model says about an event, in words. They are read from its expression:
 *
 *     order.amount                        amount: 4,200.00 MXN
 *     double(order.amount) / median90d    amount is 31 times this client's median of 90 days
 *     payeeFirstPaid                      3 days since this client's first operation with this payee
 *     device.isNew                        new device: yes
 *
 * Any other expression has the name of the input, and any input can have a text of its own.
 */
import { secondMs } from '@ringfence/contract';
import type { Comparison, Expression } from '../expression/node.ts';
import { pathText } from '../expression/node.ts';
import { parseExpression } from '../expression/parse.ts';
import { printExpression } from '../expression/print.ts';
import { factDefinition } from '../facts/facts.ts';
import type { ModelTerm, Policy } from '../policy.ts';
import { factNoun } from './fact-words.ts';
import { featureNoun } from './feature-words.ts';
import { afterA, afterDe, bare, type Telling, type WordLanguage } from './language.ts';
import { isMoney, type Noun, withSince } from './noun.ts';
import { moneyWords, numberWords, rounded, shareWords, timeWords } from './number-words.ts';

const unknown: Readonly<Record<WordLanguage, string>> = { en: 'unknown', es: 'sin dato' };
const yes: Readonly<Record<WordLanguage, string>> = { en: 'yes', es: 'sí' };
const no = 'no';

type Definitions = Pick<Policy, 'features' | 'ratios'>;

/** An input with its value on an event; `undefined` if it is missing. */
export interface ValuedInput {
  readonly term: ModelTerm;
  readonly value: number | undefined;
  readonly definitions: Definitions;
  /** Of the event, for amounts. */
  readonly currency?: string | undefined;
}

/** What the input says, for people of the bank. It begins with a small letter, and has no full stop. */
export function inputSentence(input: ValuedInput, language: WordLanguage): string {
  const { term, value } = input;
  const telling: Telling = { language, reader: 'staff' };
  const subject = subjectOf(input, telling);
  const name = bare(nameOf(subject, telling));
  if (value === undefined) return `${name}: ${unknown[language]}`;
  switch (subject.kind) {
    case 'one':
      return oneSentence(input, subject.noun, language);
    case 'ratio':
      return ratioSentence(subject, value, language);
    case 'deviations':
      return deviationSentence(subject, value, language);
    default:
      return `${name}: ${valueWords(term, value, language)}`;
  }
}

/**
 * The input as a reason for a letter to the client: without values, weights and thresholds, and without what is known
 * of others. It begins with a capital.
 */
export function inputReason(input: ValuedInput, language: WordLanguage): string {
  const { term, value } = input;
  const telling: Telling = { language, reader: 'client' };
  const subject = subjectOf(input, telling);
  const nouns = subject.kind === 'named' ? [] : subject.kind === 'one' ? [subject.noun] : [subject.left, subject.right];
  const discreet = nouns.find((noun) => noun?.discreet !== undefined)?.discreet;
  if (discreet !== undefined) return capital(discreet);
  if (subject.kind === 'one' && value === 0 && subject.noun.first !== undefined) return capital(subject.noun.first);
  const name = subject.kind === 'comparison' ? subject.left.text : nameOf(subject, telling);
  if (value === undefined) return capital(`${bare(name)}: ${unknown[language]}`);
  const isFalse = term.kind === 'boolean' && value === 0 && subject.kind !== 'comparison';
  return capital(isFalse ? `${name}: ${no}` : name);
}

/** What an input is about, as far as its expression can be read. */
type Subject =
  | { readonly kind: 'one'; readonly noun: Noun }
  | { readonly kind: 'ratio' | 'difference' | 'deviations'; readonly left: Noun; readonly right: Noun }
  | { readonly kind: 'comparison'; readonly left: Noun; readonly right: undefined; readonly text: string }
  | { readonly kind: 'named'; readonly text: string };

function subjectOf({ term, definitions }: ValuedInput, telling: Telling): Subject {
  const { language } = telling;
  const own = term.wording[language] ?? Object.values(term.wording)[0];
  if (own !== undefined) return { kind: 'named', text: own };
  const node = parseExpression(term.text, () => undefined);
  const read = node === undefined ? undefined : structureOf(node, definitions, telling);
  return read ?? { kind: 'named', text: spaced(term.name) };
}

function structureOf(node: Expression, definitions: Definitions, telling: Telling): Subject | undefined {
  const plain = unconverted(node);
  const pair = (kind: 'ratio' | 'difference' | 'deviations', a: Expression, b: Expression): Subject | undefined => {
    const [left, right] = [nounIn(a, definitions, telling), nounIn(b, definitions, telling)];
    if (left === undefined || right === undefined) return undefined;
    const { text, of, withoutOf = text } = right.noun;
    return { kind, left: left.noun, right: { ...right.noun, text: of === left.path ? withoutOf : text } };
  };
  switch (plain.kind) {
    case 'path':
      return readPath(pathText(plain), definitions, telling);
    case 'arithmetic':
      if (plain.operator === '/') return pair('ratio', plain.left, plain.right);
      return plain.operator === '-' ? pair('difference', plain.left, plain.right) : undefined;
    case 'call': {
      const [value, profile] = plain.args;
      const isDistance = plain.name === 'zscore' && value !== undefined && profile !== undefined;
      return isDistance ? pair('deviations', value, profile) : undefined;
    }
    case 'compare':
      return readComparison(plain, definitions, telling);
    default:
      return undefined;
  }
}

function readPath(path: string, definitions: Definitions, telling: Telling): Subject | undefined {
  const ratio = definitions.ratios.find(({ name }) => name === path);
  const [left, right] = ratio === undefined ? [path] : [ratio.of.name, ratio.to.name];
  const noun = nounOf(left, definitions, telling);
  if (noun === undefined || right === undefined) return noun && { kind: 'one', noun };
  const other = nounOf(right, definitions, telling);
  return other && { kind: 'ratio', left: noun, right: other };
}

function readComparison(
  { operator, left, right }: Extract<Expression, { kind: 'compare' }>,
  definitions: Definitions,
  telling: Telling,
): Subject | undefined {
  const noun = nounIn(left, definitions, telling)?.noun;
  const other = unconverted(right);
  if (noun === undefined) return undefined;
  if (operator === '==' && other.kind === 'duration' && other.ms === 0 && noun.first !== undefined)
    return { kind: 'one', noun: { ...noun, text: noun.first, form: 'number' } };
  const otherText = nounIn(right, definitions, telling)?.noun.text ?? literalText(other);
  return otherText === undefined
    ? undefined
    : { kind: 'comparison', left: noun, right: undefined, text: `${noun.text} ${signs[operator]} ${otherText}` };
}

const signs: Readonly<Record<Comparison, string>> = { '==': '=', '!=': '≠', '<': '<', '<=': '≤', '>': '>', '>=': '≥' };

function literalText(node: Expression): string | undefined {
  if (node.kind === 'string') return node.value;
  return node.kind === 'number' || node.kind === 'duration' ? printExpression(node) : undefined;
}

/** Without conversions between kinds of numbers, which say nothing. */
function unconverted(node: Expression): Expression {
  const [only] = node.kind === 'call' ? node.args : [];
  const isConversion = node.kind === 'call' && node.receiver === undefined && ['double', 'int'].includes(node.name);
  return isConversion && only !== undefined ? unconverted(only) : node;
}

function nounIn(
  node: Expression,
  definitions: Definitions,
  telling: Telling,
): { readonly path: string; readonly noun: Noun } | undefined {
  const plain = unconverted(node);
  if (plain.kind !== 'path') return undefined;
  const path = pathText(plain);
  const noun = nounOf(path, definitions, telling);
  return noun && { path, noun };
}

/** @returns `undefined` for a name without words */
function nounOf(path: string, { features }: Definitions, telling: Telling): Noun | undefined {
  const feature = features.find(({ paths }) => paths.includes(path));
  // Another path of a feature is the deviation of a profile.
  if (feature !== undefined) return feature.name === path ? featureNoun(feature, telling) : undefined;
  const text = factNoun(path, telling);
  const type = factDefinition(path)?.type;
  if (text === undefined || type === undefined) return undefined;
  const form = type === 'duration' ? 'time' : isMoney(path) ? 'money' : 'number';
  return withSince({ text, form }, telling);
}

/** What a subject is called, without its value. */
function nameOf(subject: Subject, { language, reader }: Telling): string {
  switch (subject.kind) {
    case 'one':
      return subject.noun.text;
    case 'ratio':
    case 'difference':
    case 'deviations': {
      if (subject.kind === 'difference' && reader === 'staff')
        return `${subject.left.text} ${language === 'en' ? 'minus' : 'menos'} ${subject.right.text}`;
      const comma = reader === 'client' ? ',' : '';
      const compared = language === 'en' ? 'compared with' : 'en comparación con';
      return `${subject.left.text}${comma} ${compared} ${subject.right.text}`;
    }
    default:
      return subject.text;
  }
}

function oneSentence({ term, value = 0, currency }: ValuedInput, noun: Noun, language: WordLanguage): string {
  const name = bare(noun.text);
  if (term.kind !== 'number') return `${name}: ${valueWords(term, value, language)}`;
  if (noun.form === 'time') {
    if (value === 0 && noun.first !== undefined) return noun.first;
    const time = timeWords(value * secondMs, language);
    return noun.since === undefined ? `${name}: ${time}` : `${time} ${noun.since}`;
  }
  if (noun.form === 'money') return `${name}: ${moneyWords(value, currency, language)}`;
  return `${name}: ${noun.form === 'share' ? shareWords(value, language) : numberWords(value, language)}`;
}

type Pair = Extract<Subject, { kind: 'ratio' | 'difference' | 'deviations' }>;

function ratioSentence({ left, right }: Pair, value: number, language: WordLanguage): string {
  const isLess = Math.abs(value) < 1;
  const share = shareWords(value, language);
  const times = numberWords(rounded(value), language);
  if (language === 'en') {
    const much = value === 1 ? 'equals' : isLess ? `is ${share} of` : `is ${times} times`;
    return `${left.text} ${much} ${right.text}`;
  }
  if (value === 1) return `${left.text} es igual ${afterA(right.text)}`;
  return isLess ? `${left.text} es el ${share} ${afterDe(right.text)}` : `${left.text} es ${times} veces ${right.text}`;
}

function deviationSentence({ left, right }: Pair, value: number, language: WordLanguage): string {
  const count = numberWords(rounded(Math.abs(value)), language);
  return language === 'en'
    ? `${left.text} is ${count} standard deviations ${value < 0 ? 'below' : 'above'} ${right.text}`
    : `${left.text} está ${count} desviaciones estándar por ${value < 0 ? 'debajo' : 'encima'} ${afterDe(right.text)}`;
}

function valueWords({ kind, type, texts = [] }: ModelTerm, value: number, language: WordLanguage): string {
  if (kind === 'boolean') return value === 0 ? no : yes[language];
  if (kind === 'category') return texts[value] ?? unknown[language];
  return type === 'duration' ? timeWords(value * secondMs, language) : numberWords(value, language);
}

/** `overMedian` is `over median`. */
function spaced(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${String.fromCharCode(letter.charCodeAt(0) + letterCase)}`);
}

function capital(text: string): string {
  return text.replace(/^[a-z]/, (letter) => String.fromCharCode(letter.charCodeAt(0) - letterCase));
}

/** From a capital of ASCII to its small letter. */
const letterCase = 32;
