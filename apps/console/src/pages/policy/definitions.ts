import { type Feature, formatDuration, loadPolicy, type Policy, type PolicyFile, type Rule } from '@ringfence/policy';
import { policyTexts } from '../../policy/policy-texts.ts';

/** What a rule reads by name. */
export interface Definition {
  readonly kind: 'feature' | 'list' | 'model' | 'param';
  readonly name: string;
  readonly state: 'added' | 'changed' | 'same';
  /**
   * The rules that read it, directly or through another definition: all rules if it is new or changed, else the changed
   * ones.
   */
  readonly rules: readonly number[];
  /** As written in the policy's files. */
  readonly text: string;
  /** Its parts, to read without knowing the language. */
  readonly parts: readonly (readonly [part: DefinitionPart, value: string])[];
}

export type DefinitionPart =
  | 'kind'
  | 'of'
  | 'to'
  | 'by'
  | 'over'
  | 'where'
  | 'events'
  | 'excluding'
  | 'value'
  | 'unit'
  | 'description'
  | 'live'
  | 'items'
  | 'artifact'
  | 'inputs';

const sections = { feature: 'features', list: 'lists', model: 'models', param: 'params' } as const;
type Kind = Definition['kind'];

/**
 * The definitions that an approver has to know: every new or changed feature, list and parameter, and all that the
 * changed rules read. New ones first, then changed ones. `undefined` if one of the policies does not load.
 *
 * @param changed the rules that differ
 */
export async function definitionsOf(
  before: readonly PolicyFile[],
  after: readonly PolicyFile[],
  changed: readonly number[],
): Promise<readonly Definition[] | undefined> {
  const loaded = loadPolicy(after);
  if (!loaded.ok) return undefined;
  const { policy } = loaded;
  const { definitions: was } = await writtenIn(before);
  const { definitions: is, rules: ruleTexts } = await writtenIn(after);
  const readers = readersOf(policy, is, ruleTexts);
  return [...is]
    .map(([key, text]): Definition => {
      const [kind, name] = split(key);
      const old = was.get(key);
      const state = old === undefined ? 'added' : old === text ? 'same' : 'changed';
      const rules = [...(readers.get(key) ?? [])]
        .filter((reason) => state !== 'same' || changed.includes(reason))
        .toSorted((a, b) => a - b);
      return { kind, name, state, rules, text, parts: partsOf(policy, kind, name) };
    })
    .filter(({ state, rules }) => state !== 'same' || rules.length > 0)
    .toSorted((a, b) => order[a.state] - order[b.state]);
}

const order = { added: 0, changed: 1, same: 2 } as const;

function split(key: string): readonly [Kind, string] {
  const at = key.indexOf(' ');
  return [key.slice(0, at) as Kind, key.slice(at + 1)];
}

interface Written {
  /** By kind and name. A parameter may be declared in one file and set in another. */
  readonly definitions: ReadonlyMap<string, string>;
  /** By reason. */
  readonly rules: ReadonlyMap<number, string>;
}

/** The parts of a policy as written. */
async function writtenIn(files: readonly PolicyFile[]): Promise<Written> {
  const { isMap, isSeq, parseDocument } = await import('yaml');
  const written = new Map<string, string>();
  const rules = new Map<number, string>();
  for (const { text } of policyTexts(files)) {
    const document = parseDocument(text, { logLevel: 'silent' });
    for (const [kind, section] of Object.entries(sections)) {
      const entries = document.get(section, true);
      if (!isMap(entries)) continue;
      for (const { key, value } of entries.items) {
        const [start] = rangeOf(key);
        const [, end] = value === null ? rangeOf(key) : rangeOf(value);
        const name = `${kind} ${String((key as { readonly value?: unknown }).value)}`;
        const shown = dedented(text, start, end);
        const present = written.get(name);
        written.set(name, present === undefined ? shown : `${present}\n${shown}`);
      }
    }
    const list = document.get('rules', true);
    for (const rule of isSeq(list) ? list.items : []) {
      if (isMap(rule)) rules.set(Number(rule.get('reason')), text.slice(...rangeOf(rule)));
    }
  }
  return { definitions: written, rules };
}

function rangeOf(node: unknown): readonly [start: number, end: number] {
  const range = (node as { readonly range?: readonly number[] | null }).range ?? [0, 0];
  return [range[0] ?? 0, range[1] ?? 0];
}

/** Without the indentation of its first line. */
function dedented(text: string, start: number, end: number): string {
  const indent = start - (text.lastIndexOf('\n', start - 1) + 1);
  const lines = text.slice(start, end).trimEnd().split('\n');
  return lines.map((line, at) => (at === 0 ? line : line.replace(new RegExp(`^ {0,${indent}}`), ''))).join('\n');
}

/** The rules by what they read, through features as well. */
function readersOf(
  policy: Policy,
  written: ReadonlyMap<string, string>,
  rules: ReadonlyMap<number, string>,
): ReadonlyMap<string, ReadonlySet<number>> {
  const readers = new Map<string, Set<number>>();
  const features = new Map(policy.features.flatMap((one) => one.paths.map((path) => [path, one] as const)));
  const ratios = new Map(policy.ratios.map((one) => [one.name, one]));
  const models = new Map(policy.models.flatMap((one) => one.paths.map((path) => [path, one] as const)));
  const note = (key: string, rule: Rule): boolean => {
    const present = readers.get(key) ?? new Set<number>();
    if (present.has(rule.reason)) return false;
    readers.set(key, present.add(rule.reason));
    return true;
  };
  const readText = (text: string, rule: Rule): void => {
    for (const key of written.keys()) {
      const [kind, name] = split(key);
      if (kind === 'feature' || kind === 'model' || !new RegExp(`\\b${sections[kind]}\\.${name}\\b`).test(text))
        continue;
      if (note(key, rule)) readText(written.get(key)!, rule);
    }
  };
  const readPath = (path: string, rule: Rule): void => {
    const model = models.get(path);
    if (model !== undefined && note(`model ${model.name}`, rule)) for (const one of model.reads) readPath(one, rule);
    const feature = features.get(path);
    const ratio = ratios.get(path);
    const name = feature?.name ?? ratio?.name;
    if (name === undefined || !note(`feature ${name}`, rule)) return;
    readText(written.get(`feature ${name}`) ?? '', rule);
    if (ratio !== undefined) for (const { name: part } of [ratio.of, ratio.to]) readPath(part, rule);
  };
  for (const rule of policy.rules) {
    for (const { path } of rule.reads) readPath(path, rule);
    // As written: the compiled condition has the value of a parameter in its place.
    readText(rules.get(rule.reason) ?? '', rule);
  }
  return readers;
}

function partsOf({ features, ratios, lists, models, params }: Policy, kind: Kind, name: string): Definition['parts'] {
  const parts = (of: Readonly<Partial<Record<DefinitionPart, string | undefined>>>): Definition['parts'] =>
    (Object.entries(of) as [DefinitionPart, string | undefined][]).flatMap(([part, value]) =>
      value === undefined || value === '' ? [] : [[part, value] as const],
    );
  const list = lists.find((one) => one.name === name);
  const model = models.find((one) => one.name === name);
  const param = params.find((one) => one.name === name);
  const ratio = ratios.find((one) => one.name === name);
  const feature = features.find((one) => one.name === name);
  switch (kind) {
    case 'list':
      return list === undefined
        ? []
        : parts({
            description: list.description,
            of: list.of.join(', '),
            items: String(list.declared),
            live: list.live === undefined ? undefined : '✓',
          });
    case 'model':
      return model === undefined
        ? []
        : parts({
            artifact: model.trained?.artifact,
            inputs: model.inputs.map((input) => `${input.name}: ${input.text}`).join(', '),
            where: model.whereText,
            events: [...model.on].join(', '),
          });
    case 'param':
      return param === undefined ? [] : parts({ description: param.description, value: param.value, unit: param.unit });
    case 'feature':
      if (ratio !== undefined) return parts({ kind: 'ratio', of: ratio.of.name, to: ratio.to.name });
      return feature === undefined ? [] : parts(featureParts(feature));
  }
}

function featureParts(feature: Feature): Readonly<Partial<Record<DefinitionPart, string | undefined>>> {
  const { kind, of, by, overMs, whereText, on, excludesThis } = feature;
  return {
    kind,
    of,
    by: by.join(', '),
    over: overMs === undefined ? undefined : formatDuration(overMs),
    where: whereText,
    events: [...on].join(', '),
    excluding: excludesThis ? '✓' : undefined,
  };
}
