import type { PolicyFile, Rule } from '@ringfence/policy';
import { type Document, isMap, isScalar, isSeq, parseDocument, Scalar, YAMLMap, type YAMLSeq } from 'yaml';

/** Replaces the condition of a rule; the rest of the file stays unchanged, including comments. */
export function writeCondition(file: PolicyFile, reason: number, condition: string): PolicyFile {
  return writeMembers(file, reason, { when: conditionScalar(condition) });
}

/** Sets the mode of a rule: live, shadow or off. */
export function writeMode(file: PolicyFile, reason: number, mode: Rule['mode']): PolicyFile {
  return writeMembers(file, reason, { mode: new Scalar(mode) });
}

export interface NewRule {
  readonly reason: number;
  readonly name: string;
  readonly condition: string;
  readonly action: number;
  /** Empty: no message to the client. */
  readonly message: string;
}

/** Appends a rule, in shadow mode. */
export function addRule(file: PolicyFile, { reason, name, condition, action, message }: NewRule): PolicyFile {
  const document = parseDocument(file.text);
  const rule = new YAMLMap();
  const asked = document.createNode({ action, ...(message === '' ? {} : { message }) }, { flow: true });
  rule.set('reason', reason);
  rule.set('name', name);
  rule.set('when', conditionScalar(condition));
  rule.set('then', asked);
  rule.set('mode', 'shadow');
  const rules = rulesOf(document);
  if (rules === undefined) document.set('rules', [rule]);
  else {
    rules.flow = false;
    rules.add(rule);
  }
  return { path: file.path, text: printed(document) };
}

function writeMembers(file: PolicyFile, reason: number, members: Readonly<Record<string, Scalar>>): PolicyFile {
  const document = parseDocument(file.text);
  const rule = rulesOf(document)?.items.find((item) => isMap(item) && item.get('reason') === reason);
  if (!isMap(rule)) return file;
  for (const [member, scalar] of Object.entries(members)) {
    const before = rule.get(member, true);
    if (isScalar(before) && typeof before.comment === 'string') scalar.comment = before.comment;
    rule.set(member, scalar);
  }
  return { path: file.path, text: printed(document) };
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
