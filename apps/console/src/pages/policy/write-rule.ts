import type { PolicyFile, Rule } from '@ringfence/policy';
import { Document, isMap, isScalar, isSeq, type Node, parseDocument, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { addEntry } from './add-entry.ts';

/** Replaces the condition of a rule; the rest of the file stays unchanged, including comments. */
export function writeCondition(file: PolicyFile, reason: number, condition: string): PolicyFile {
  return writeMembers(file, reason, { when: conditionScalar(condition) });
}

/** Sets the mode of a rule: live, shadow or off. */
export function writeMode(file: PolicyFile, reason: number, mode: Rule['mode']): PolicyFile {
  return writeMembers(file, reason, { mode: new Scalar(mode) });
}

/** What happened in one sentence, by language. */
export type Summary = Readonly<Record<string, string>>;

/** Replaces the summary of a rule, and removes it if it is empty in all languages. */
export function writeSummary(file: PolicyFile, reason: number, summary: Summary): PolicyFile {
  return writeMembers(file, reason, { summary: summaryNode(summary) });
}

export interface NewRule {
  readonly reason: number;
  readonly name: string;
  readonly condition: string;
  readonly action: number;
  /** Empty: no message to the client. */
  readonly message: string;
  readonly summary: Summary;
}

/** Appends a rule, in shadow mode. The rest of the file stays as it is, unless its rules are on one line. */
export function addRule(file: PolicyFile, { reason, name, condition, action, message, summary }: NewRule): PolicyFile {
  const document = parseDocument(file.text);
  const rule = new YAMLMap();
  const asked = document.createNode({ action, ...(message === '' ? {} : { message }) }, { flow: true });
  rule.set('reason', reason);
  rule.set('name', name);
  rule.set('when', conditionScalar(condition));
  rule.set('then', asked);
  const told = summaryNode(summary);
  if (told !== undefined) rule.set('summary', told);
  rule.set('mode', 'shadow');
  const text = addEntry(file.text, 'rules', (indent) => entryText(rule, indent));
  if (text !== undefined) return { path: file.path, text };
  const rules = rulesOf(document);
  if (rules === undefined) document.set('rules', [rule]);
  else {
    rules.flow = false;
    rules.add(rule);
  }
  return { path: file.path, text: printed(document) };
}

/** The rule as an item of a list, each line indented. */
function entryText(rule: YAMLMap, indent: string): string {
  const document = new Document();
  const items = new YAMLSeq();
  items.add(rule);
  document.contents = items as never;
  return printed(document)
    .trimEnd()
    .replaceAll(/^(?=.)/gm, indent);
}

/** English alone is one text. */
function summaryNode(summary: Summary): Node | undefined {
  const written = Object.entries(summary).filter(([, text]) => text.trim() !== '');
  if (written.length === 0) return undefined;
  const quoted = written.map(([language, text]) => {
    const scalar = new Scalar(text);
    scalar.type = Scalar.QUOTE_DOUBLE;
    return [language, scalar] as const;
  });
  if (quoted.length === 1 && quoted[0]![0] === 'en') return quoted[0]![1];
  const map = new YAMLMap();
  for (const [language, scalar] of quoted) map.set(language, scalar);
  return map;
}

/** A member without a node is removed. */
function writeMembers(
  file: PolicyFile,
  reason: number,
  members: Readonly<Record<string, Node | undefined>>,
): PolicyFile {
  const document = parseDocument(file.text);
  const rule = rulesOf(document)?.items.find((item) => isMap(item) && item.get('reason') === reason);
  if (!isMap(rule)) return file;
  const places = Object.entries(members).map(([member, node]) => [rule.get(member, true), node] as const);
  for (const [member, node] of Object.entries(members)) {
    const before = rule.get(member, true);
    if (node === undefined) rule.delete(member);
    else {
      if (isScalar(before) && typeof before.comment === 'string') node.comment = before.comment;
      rule.set(member, node);
    }
  }
  const text = printed(document);
  return { path: file.path, text: replaced(file.text, places, text) ?? text };
}

/**
 * The text with one value exchanged and every other character as it was; `undefined` if it would not mean the same as the
 * printed document.
 */
function replaced(
  text: string,
  places: readonly (readonly [was: unknown, is: Node | undefined])[],
  meant: string,
): string | undefined {
  const [[was, is] = [], ...others] = places;
  if (others.length > 0 || !isScalar(was) || !isScalar(is) || !was.range) return undefined;
  const value = new Scalar(is.value);
  if (is.type !== undefined) value.type = is.type;
  const [start, end] = was.range;
  const lineEnd = text.slice(start, end).endsWith('\n') ? '\n' : '';
  const result = `${text.slice(0, start)}${printed(new Document(value)).trimEnd()}${lineEnd}${text.slice(end)}`;
  return isSame(result, meant) ? result : undefined;
}

function isSame(text: string, other: string): boolean {
  const [one, two] = [parseDocument(text), parseDocument(other)];
  return one.errors.length === 0 && JSON.stringify(one) === JSON.stringify(two);
}

function rulesOf(document: Document): YAMLSeq | undefined {
  const rules = document.get('rules');
  return isSeq(rules) ? rules : undefined;
}

function conditionScalar(condition: string): Scalar {
  const scalar = new Scalar(condition);
  // An unquoted condition that starts with a quote or `!` has another meaning in YAML.
  if (/^["'!]/.test(condition)) scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}

function printed(document: Document): string {
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}
