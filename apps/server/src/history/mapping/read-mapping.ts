import { type EventKind, eventSchemas } from '@ringfence/contract';
import type { Label } from '@ringfence/engine';
import { nearest } from '@ringfence/policy/nearest';
import { check, isMapping, type Mistake } from '../../platform/shapes/check.ts';
import { ConfigurationError, type ConfigurationMistake } from '../../platform/shapes/mistakes.ts';
import { WrittenScalar } from '../../platform/shapes/written-scalar.ts';
import { readYaml, type YamlDocument } from '../../platform/shapes/yaml-document.ts';
import type { MappedMember, Mapping } from './mapping.ts';
import { mappingShape, type WrittenMapping } from './mapping-shape.ts';

type Path = readonly (string | number)[];
type Wrong = (path: Path, message: string) => void;

const kinds: readonly EventKind[] = ['login', 'logout', 'operation'];

/**
 * Reads a mapping file.
 *
 * @param file its name, for error messages
 * @throws ConfigurationError with every mistake, by line and column
 */
export function readMapping(file: string, text: string): Mapping {
  const document = readYaml(file, text, {});
  if (document.mistakes.length > 0) throw new ConfigurationError(document.mistakes, 'The mapping');
  const mistakes: ConfigurationMistake[] = [];
  const long = spelledOut(document.value);
  const checked = check(mappingShape, long);
  if (!checked.ok) mistakes.push(...checked.mistakes.map((mistake) => placed(mistake, document)));
  checkParts(long, (path, message) => mistakes.push({ ...document.at(path, false), message }));
  if (!checked.ok || mistakes.length > 0) throw new ConfigurationError(mistakes, 'The mapping');
  return assemble(checked.value);
}

function placed({ path, onKey, message }: Mistake, document: YamlDocument): ConfigurationMistake {
  // `kind: operation` was expanded before the check.
  const isShort = path.join('.') === 'kind.value' && isScalarAt(document.value, 'kind');
  return isShort
    ? { ...document.at(['kind'], false), message: message.replace('kind.value', 'kind') }
    : { ...document.at(path, onKey), message };
}

/** Expands short forms: `kind: operation`, and a column name for a member. */
function spelledOut(value: unknown): unknown {
  if (!isMapping(value)) return value;
  const long: Record<string, unknown> = { ...value };
  if (long['kind'] instanceof WrittenScalar) long['kind'] = { value: long['kind'] };
  if (Array.isArray(long['nulls'])) long['nulls'] = long['nulls'].map(asWord);
  for (const kind of kinds) {
    const members = long[kind];
    if (!isMapping(members)) continue;
    long[kind] = Object.fromEntries(
      Object.entries(members).map(([path, source]) => [
        path,
        source instanceof WrittenScalar ? { column: source } : source,
      ]),
    );
  }
  return long;
}

/** YAML reads NULL and ~ as nothing; here they are words. */
function asWord(word: unknown): unknown {
  return word instanceof WrittenScalar && word.value === null ? new WrittenScalar(word.text, word.text, word.by) : word;
}

function isScalarAt(value: unknown, key: string): boolean {
  return isMapping(value) && value[key] instanceof WrittenScalar;
}

/** Checks beyond the shape of each part. Every part is checked even when others have the wrong shape. */
function checkParts(written: unknown, wrong: Wrong): void {
  if (!isMapping(written)) return;
  const kind = check(mappingShape.properties.kind, written['kind']);
  const label = check(mappingShape.properties.label, written['label']);
  if (kind.ok) checkWords(kindWords(kind.value), ['kind'], wrong);
  if (label.ok) checkWords(labelWords(label.value), ['label'], wrong);
  for (const one of kinds) {
    const members = written[one];
    const isUsed = kind.ok ? kindsOf(kind.value).includes(one) : members !== undefined;
    if (!isUsed && members !== undefined) wrong([one], `${one} is mapped, but no line is of this kind`);
    if (isUsed && (members === undefined || isMapping(members))) checkMembers(one, Object.keys(members ?? {}), wrong);
  }
}

/** A word can't have two meanings. */
function checkWords(words: Words, path: Path, wrong: Wrong): void {
  const known = new Map<string, string>();
  for (const [meaning, list] of Object.entries(words)) {
    for (const [i, word] of (list ?? []).entries()) {
      if (known.has(word)) wrong([...path, meaning, i], `"${word}" means ${known.get(word)} already`);
      known.set(word, meaning);
    }
  }
}

function checkMembers(kind: EventKind, paths: readonly string[], wrong: Wrong): void {
  for (const path of paths) {
    if (typeOf(kind, path) === undefined) wrong([kind, path], unknownMember(kind, path));
  }
  for (const { path, required } of wireMembers[kind]) {
    if (required && !paths.includes(path))
      wrong([kind], `${kind} needs ${path}: name its column, or set one value for all lines: ${path}: { value: … }`);
  }
}

function unknownMember(kind: EventKind, path: string): string {
  const near = nearest(
    path,
    wireMembers[kind].map((member) => member.path),
  );
  const hint =
    near === undefined
      ? `expected a member of the interface, like ${wireMembers[kind][0]!.path}`
      : `did you mean "${near}"?`;
  return `${kind} has no member ${path}; ${hint}`;
}

/** For a mapping without mistakes. */
function assemble(written: WrittenMapping): Mapping {
  const { format, delimiter, quotes, columns, encoding, trim, nulls, decimal, time, kind, label } = written;
  return {
    format,
    csv: { delimiter: delimiter === 'tab' ? '\t' : delimiter, quotes, columns },
    encoding,
    trim,
    nulls: new Set(nulls),
    decimal,
    time: { column: time.column, format: time.format, zone: time.zone },
    kind: kind.value ?? { column: kind.column!, words: meanings(kindWords(kind)) },
    label: label === undefined ? undefined : { column: label.column, words: meanings(labelWords(label)) },
    members: Object.fromEntries(kindsOf(kind).map((one) => [one, membersOf(one, written[one])])),
  };
}

function kindsOf(kind: WrittenMapping['kind']): readonly EventKind[] {
  return kind.value === undefined ? kinds.filter((one) => kind[one] !== undefined) : [kind.value];
}

/** The words of a column, by meaning. */
type Words<Meaning extends string = string> = Readonly<Record<Meaning, readonly string[] | undefined>>;

function kindWords({ login, logout, operation }: WrittenMapping['kind']): Words<EventKind> {
  return { login, logout, operation };
}

function labelWords({ fraud, legitimate }: NonNullable<WrittenMapping['label']>): Words<Label> {
  return { fraud, legitimate };
}

function meanings<Meaning extends string>(words: Words<Meaning>): ReadonlyMap<string, Meaning> {
  const entries = Object.entries(words) as [Meaning, readonly string[] | undefined][];
  return new Map(entries.flatMap(([meaning, list]) => (list ?? []).map((word) => [word, meaning] as const)));
}

function membersOf(kind: EventKind, written: WrittenMapping[EventKind] = {}): readonly MappedMember[] {
  return Object.entries(written).map(([path, { column, default: otherwise, value }]) => ({
    path,
    type: typeOf(kind, path)!,
    source: column === undefined ? { value: value! } : { column, default: otherwise },
  }));
}

function typeOf(kind: EventKind, path: string): MappedMember['type'] | undefined {
  return path.startsWith(detailsPrefix) ? 'text' : wireMembers[kind].find((one) => one.path === path)?.type;
}

/** A text or number member of a wire's body. */
interface WireMember {
  readonly path: string;
  readonly type: 'text' | 'number';
  readonly required: boolean;
}

interface Node {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
}

/** The object of texts under names that the sender chooses. */
const detailsPrefix = 'transaction.details.';

const wireMembers: Readonly<Record<EventKind, readonly WireMember[]>> = {
  login: wireMembersOf(eventSchemas.login as unknown as Node),
  logout: wireMembersOf(eventSchemas.logout as unknown as Node),
  operation: wireMembersOf(eventSchemas.operation as unknown as Node),
};

function wireMembersOf(node: Node, prefix = ''): readonly WireMember[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, member]) => {
    const path = prefix + name;
    const types = [member.type].flat();
    if (types.includes('object')) return wireMembersOf(member, `${path}.`);
    const isNumber = types.includes('number') || types.includes('integer');
    return [{ path, type: isNumber ? 'number' : 'text', required: node.required?.includes(name) === true } as const];
  });
}
