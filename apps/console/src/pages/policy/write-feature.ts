import { featureDefinitions, type FeatureKind, loadPolicy, type PolicyFile } from '@ringfence/policy';
import { parseDocument } from 'yaml';
import { addEntry } from './add-entry.ts';
import { mistakeText } from './condition-mistakes.ts';
import { withFiles } from './draft-files.ts';

/** A feature as its form has it; empty texts are left out. */
export interface NewFeature {
  readonly name: string;
  readonly kind: FeatureKind;
  /** The fact or feature that it is about; empty for events. */
  readonly of: string;
  readonly by: readonly string[];
  readonly over: string;
  /** What the kind needs besides: `at`, `per`, `to`, `halfLife` or `after`. */
  readonly option: string;
  readonly where: string;
  readonly excludesThis: boolean;
}

export type FeatureField = Exclude<keyof NewFeature, 'kind'>;

export function definitionOf(kind: FeatureKind): (typeof featureDefinitions)[number] {
  return featureDefinitions.find((one) => one.kind === kind)!;
}

/** The file to which features are added: the one that has the most, or the given one. */
export function featureFile(files: readonly PolicyFile[], otherwise: PolicyFile): PolicyFile {
  const own = files.filter(({ text }) => /^features:/m.test(text) && !/^pack:/m.test(text));
  const [most] = own.toSorted((a, b) => featuresIn(b) - featuresIn(a));
  return most ?? otherwise;
}

function featuresIn({ text }: PolicyFile): number {
  return text.split('\n').filter((line) => /\bby:/.test(line)).length;
}

/** The file with one more feature; its layout and comments stay. A feature of the same name is not replaced. */
export function addFeature(file: PolicyFile, feature: NewFeature): PolicyFile {
  const entry = featureText(feature);
  const text = addEntry(
    file.text,
    'features',
    (indent, last) => `${indent}${aligned(feature.name, indent, last)}${entry}`,
  );
  if (text !== undefined) return { path: file.path, text };
  const document = parseDocument(file.text);
  if (document.hasIn(['features', feature.name])) return file;
  document.setIn(['features', feature.name], parseDocument(entry).contents);
  return { path: file.path, text: document.toString({ lineWidth: 0, flowCollectionPadding: true }) };
}

/** The name, with the spaces after it that the feature above has. */
function aligned(name: string, indent: string, last: string): string {
  const column = /^ *\w+: *(?=\{)/.exec(last)?.[0].length ?? 0;
  return `${name}: `.padEnd(column - indent.length);
}

function featureText(feature: NewFeature): string {
  return `{ ${membersOf(feature)
    .map(({ key, value }) => `${key}: ${value}`)
    .join(', ')} }`;
}

interface Member {
  readonly field: FeatureField;
  readonly key: string;
  readonly value: string;
}

function membersOf({ kind, of, by, over, option, where, excludesThis }: NewFeature): readonly Member[] {
  const definition = definitionOf(kind);
  const members: readonly (Member | undefined)[] = [
    { field: 'of', key: kind, value: definition.of === 'true' || of === '' ? 'true' : of },
    definition.option && { field: 'option', key: definition.option, value: option },
    kind === 'ratio' ? undefined : { field: 'by', key: 'by', value: by.length === 1 ? by[0]! : `[${by.join(', ')}]` },
    definition.span === 'over' ? { field: 'over', key: 'over', value: over } : undefined,
    where === '' ? undefined : { field: 'where', key: 'where', value: flowText(where) },
    excludesThis && mayExclude(kind) ? { field: 'excludesThis', key: 'excluding', value: 'this' } : undefined,
  ];
  return members.filter((member) => member !== undefined);
}

/** Whether the event itself can be left out of a feature of this kind. */
export function mayExclude(kind: FeatureKind): boolean {
  return kind !== 'ratio' && definitionOf(kind).excludesThis !== true;
}

/** A text within braces, quoted if it could mean something else there. */
function flowText(text: string): string {
  return /^[A-Za-z][\w. ><=&+*/-]*$/.test(text) ? text : `'${text.replaceAll("'", "''")}'`;
}

export type FeatureProblems = Readonly<Partial<Record<FeatureField, string>>>;

/** What is not written in the form that its field needs, so that it cannot be put into a file. */
export function malformed({
  name,
  kind,
  of,
  over,
  option,
}: NewFeature): readonly ('name' | 'of' | 'over' | 'option')[] {
  const definition = definitionOf(kind);
  const path = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;
  const isOptional = definition.of === 'true' || (definition.of === 'events or number' && of === '');
  return [
    ...(/^[a-z][A-Za-z0-9]{0,63}$/.test(name) ? [] : ['name' as const]),
    ...(isOptional || path.test(of) ? [] : ['of' as const]),
    ...(definition.span === 'none' || /^(?:\d[\d.a-z]*|params\.\w+)$/.test(over) ? [] : ['over' as const]),
    ...(definition.option === undefined || /^[\w.]+$/.test(option) ? [] : ['option' as const]),
  ];
}

/** Errors of the compiler about a new feature, by the field that they concern; `name` has those about the whole. */
export function featureProblems(
  files: readonly PolicyFile[],
  written: PolicyFile,
  feature: NewFeature,
): FeatureProblems {
  const loaded = loadPolicy(withFiles(files, [written]));
  if (loaded.ok) return {};
  const found: Partial<Record<FeatureField, string>> = {};
  for (const error of loaded.errors) {
    const { file, line, column } = error;
    const field = file === written.path ? fieldAt(written.text.split('\n')[line - 1] ?? '', column, feature) : 'name';
    found[field] ??= mistakeText(error);
  }
  return found;
}

/** The field whose text is at this column of the feature's line. */
function fieldAt(line: string, column: number, feature: NewFeature): FeatureField {
  let start = line.indexOf('{') + 2;
  if (!line.trimStart().startsWith(`${feature.name}:`) || column - 1 < start) return 'name';
  for (const { field, key, value } of membersOf(feature)) {
    start += `${key}: ${value}, `.length;
    if (column - 1 < start) return field;
  }
  return 'name';
}
