import { eventIdPlaceholder } from './event-id-placeholder.ts';
import type { Compiler } from '../compile/compile.ts';
import { textLengthMax } from '../compile/bounds.ts';
import type { Run, Vocabulary } from '../compile/compiled.ts';
import { functionsNamed } from '../compile/definitions.ts';
import { aType, type Type } from '../compile/type.ts';
import { unknownPath } from '../compile/paths.ts';
import type { PlacedText } from '../document/item.ts';
import { parseExpression } from '../expression/parse.ts';
import { currencyOf, textOf } from '../facts/facts.ts';
import { openPlaces } from '../lint/html-places.ts';
import type { Report } from '../check/mistake.ts';
import type { FactType } from '../facts/fact-value.ts';
import type { Params } from '../check/params.ts';

/** What a template is for, and its bounds. */
export interface TemplateUse {
  readonly what: 'message' | 'summary';
  readonly format: 'text' | 'html';
  /** Characters of the template. */
  readonly templateLength: number;
  readonly placeholders: number;
}

/** A text with values in it. */
export interface Template {
  /** Literal texts, none of them empty, and values. */
  readonly parts: readonly (string | Placeholder)[];
  /** Facts and features that it shows. */
  readonly reads: readonly string[];
  /** The most steps that rendering it costs. */
  readonly cost: number;
}

export interface Placeholder {
  readonly run: Run;
  readonly type: FactType;
  readonly reads: readonly string[];
  /** For an amount of money: the slot of its currency. */
  readonly currencySlot: number | undefined;
  readonly cost: number;
}

/** The names that a template can use, and the compiler of its expressions. */
export interface TemplateContext {
  readonly vocabulary: Vocabulary;
  readonly compiler: Compiler;
}

/** From `{{` to the next `}}`, or to the end. */
const placeholder = /\{\{([^}]*)(\}\}|$|\})/g;

/**
 * Reads a template: text with `{{ path }}` or `{{ expression }}`, such as `{{ account.email.maskEmail() }}`. In a message
 * `{{ event.id }}` is the id of the event.
 */
export function compileTemplate(placed: PlacedText, use: TemplateUse, context: TemplateContext): Template | undefined {
  const { text, report } = placed;
  const { what } = use;
  if (text.length > use.templateLength) {
    report({
      start: 0,
      end: 1,
      message: `the ${what} has ${text.length} characters`,
      suggestion: `at most ${use.templateLength}`,
    });
    return undefined;
  }
  const parts: (string | Placeholder)[] = [];
  const reads: string[] = [];
  let [placeholders, cost] = [0, 0];
  let end = 0;
  let failed = false;
  for (const match of text.matchAll(placeholder)) {
    parts.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    const isEventId = what === 'message' && match[1]!.trim() === 'event.id' && match[2] === '}}';
    const part = isEventId ? eventIdPlaceholder : compilePlaceholder(match, placed, { ...context, what });
    if (part === undefined) failed = true;
    else if (typeof part === 'string') parts.push(part);
    else {
      placeholders++;
      reads.push(...part.reads);
      cost += part.cost;
      parts.push(part);
    }
  }
  parts.push(text.slice(end));
  warnOfWording(placed, use.format, context);
  if (placeholders > use.placeholders) {
    report({
      start: 0,
      end: 1,
      message: `the ${what} shows ${placeholders} values`,
      suggestion: `at most ${use.placeholders}`,
    });
    return undefined;
  }
  return failed ? undefined : { parts: parts.filter((part) => part !== ''), reads, cost };
}

/** Warns of text that looks like a placeholder but would be shown to the reader literally. */
function warnOfWording({ text, report }: PlacedText, format: 'text' | 'html', { vocabulary }: TemplateContext): void {
  const warn = (start: number, shown: string, { why = '', suggestion }: { why?: string; suggestion: string }): void => {
    const message = `${shown} is shown literally${why}`;
    report({ start, end: start + shown.length, message, suggestion, severity: 'warning' });
  };
  const tag = format === 'text' ? /<\/?[a-z][a-z0-9]*(?:\s[^<>]*)?\/?>/i.exec(text) : null;
  if (tag !== null) warn(tag.index, tag[0], { why: ': the format is text', suggestion: 'format: html' });
  if (format === 'html') {
    const placeholders = [...text.matchAll(placeholder)];
    for (const { index, ...place } of openPlaces(text, placeholders)) {
      report({ start: index, end: index + 2, ...place, severity: 'warning' });
    }
  }
  for (const { 0: whole, 1: path = '', index } of text.matchAll(/(?<!\{)\{\s*([a-zA-Z][\w.]*)\s*\}(?!\})/g)) {
    if (vocabulary.find(path) !== undefined) warn(index, whole, { suggestion: `{{${path}}}` });
  }
}

function compilePlaceholder(
  match: RegExpExecArray,
  { report, params }: PlacedText,
  context: Inside['context'],
): Placeholder | undefined {
  const [whole, inner = '', closing] = match;
  const path = inner.trim();
  const span = { start: match.index, end: match.index + whole.length };
  if (closing !== '}}') {
    report({ ...span, message: 'the placeholder is not closed', suggestion: '{{ order.amount }}' });
    return undefined;
  }
  if (path === '') {
    report({ ...span, message: `{{${inner}}} shows nothing`, suggestion: '{{ order.amount }}' });
    return undefined;
  }
  // Mistakes are searched in the text between the braces.
  const inside: Report = (mistake) =>
    report({ ...mistake, start: mistake.start + match.index + 2, end: mistake.end + match.index + 2 });
  return /^[\w.]+$/.test(path) && !path.startsWith('params.') && !isInMap(path, context.vocabulary)
    ? compileFact(path, inner.indexOf(path), { report: inside, context })
    : compileInner(inner, params, { report: inside, context });
}

/** `transaction.details.note`: the part after the name of a map is looked up in the map. */
function isInMap(path: string, vocabulary: Vocabulary): boolean {
  return vocabulary.find(path.slice(0, path.lastIndexOf('.')))?.type === 'map';
}

interface Inside {
  readonly report: Report;
  readonly context: TemplateContext & Pick<TemplateUse, 'what'>;
}

function compileFact(path: string, start: number, { report, context }: Inside): Placeholder | undefined {
  const { vocabulary, what } = context;
  const name = vocabulary.find(path);
  if (name === undefined && vocabulary.broken(path)) return undefined;
  if (name === undefined) {
    report({
      start,
      end: start + path.length,
      ...(methodMeant(path, vocabulary) ?? unknownPath(path, vocabulary.paths())),
    });
    return undefined;
  }
  // A message shows an amount with the digits that were sent: 10.10, not 10.1.
  const shown = what === 'message' ? (vocabulary.find(textOf.get(path) ?? path) ?? name) : name;
  const slot = vocabulary.slotOf(shown.path);
  const cost = shownCost(shown.type === 'string' ? (shown.lengthMax ?? textLengthMax) : 0);
  const currency = what === 'message' ? undefined : (shown.currency ?? currencyOf.get(shown.path));
  const currencySlot = currency === undefined ? undefined : vocabulary.slotOf(currency);
  return { run: (facts) => facts[slot], type: shown.type, reads: [path], currencySlot, cost };
}

/** `order.currency.mask`, without its parentheses. */
function methodMeant(path: string, vocabulary: Vocabulary): { message: string; suggestion: string } | undefined {
  const dot = path.lastIndexOf('.');
  const [owner, name] = [path.slice(0, dot), path.slice(dot + 1)];
  const method = functionsNamed(name).find(({ isMethod }) => isMethod);
  if (method === undefined || vocabulary.find(owner) === undefined) return undefined;
  const given = method.params.length === 1 ? '' : '…';
  return { message: `${name} is a function`, suggestion: `${owner}.${name}(${given})` };
}

/** Types of values that a person can read. */
const printable: ReadonlySet<Type> = new Set<Type>([
  'string',
  'int',
  'double',
  'decimal',
  'bool',
  'timestamp',
  'duration',
]);

function compileInner(text: string, params: Params, { report, context }: Inside): Placeholder | undefined {
  const suggestion = 'a fact, or a function of facts such as account.email.maskEmail()';
  const parsed = parseExpression(text, (mistake) => report({ ...mistake, suggestion }));
  const node = parsed && params.fill(parsed, report);
  const compiled = node === undefined ? undefined : context.compiler.value(node, report);
  if (node === undefined || compiled === undefined) return undefined;
  const { type, run, reads } = compiled;
  if (printable.has(type)) {
    const cost = compiled.cost + shownCost(compiled.length);
    return { run, type: type as FactType, reads, currencySlot: undefined, cost };
  }
  report({ start: node.start, end: node.end, message: `a ${context.what} can't show ${aType(type)}`, suggestion });
  return undefined;
}

/** The cost of printing a value and scanning a text, all of it if it is nothing but control characters. */
function shownCost(length: number): number {
  return Math.ceil(30 + length / 10);
}

/**
 * One line of at most `lengthMax` characters; a longer one is cut and ends with an ellipsis. Control characters could forge another line of a mail or an SMS, and directional
 * marks could reverse the meaning of the text: both become a space. Of a long text, only as much as is shown is
 * scanned.
 */
export function shorten(value: string, lengthMax: number): string {
  let line = '';
  for (let at = 0; at < value.length && line.length <= lengthMax;) {
    const from = at;
    if (isHidden(value.charCodeAt(at))) {
      while (at < value.length && isHidden(value.charCodeAt(at))) at++;
      line += ' ';
    } else {
      const end = from + lengthMax + 1;
      while (at < value.length && at < end && !isHidden(value.charCodeAt(at))) at++;
      line += value.slice(from, at);
    }
  }
  if (line.length <= lengthMax) return line;
  const cut = line.slice(0, lengthMax - 1);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** Control characters, line and paragraph separators, and directional marks. */
function isHidden(unit: number): boolean {
  return (
    unit < 0x20 ||
    (unit >= 0x7f && unit <= 0x9f) ||
    (unit >= 0x20_28 && unit <= 0x20_2e) ||
    (unit >= 0x20_66 && unit <= 0x20_69)
  );
}
