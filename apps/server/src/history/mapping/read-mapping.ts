import type { EventKind } from '@ringfence/contract';
import { nearest } from '@ringfence/policy';
import { check } from '../../config/check.ts';
import { ConfigurationError, type ConfigurationMistake } from '../../config/mistakes.ts';
import { WrittenScalar } from '../../config/written-scalar.ts';
import { readYaml, type YamlDocument } from '../../config/yaml-document.ts';
import { type MappedMember, type Mapping } from './mapping.ts';
import { mappingShape, type WrittenMapping } from './mapping-shape.ts';
import { detailsPrefix, wireMembers } from './wire-members.ts';

type Path = readonly (string | number)[];
type Wrong = (path: Path, message: string) => void;

const kinds: readonly EventKind[] = ['login', 'logout', 'operation'];

/**
 * Reads a mapping file.
 *
 * @param file its name, for mistakes
 * @throws ConfigurationError with every mistake, by line and column
 */
export function readMapping(file: string, text: string): Mapping {
  const document = readYaml(file, text, {});
  const mistakes: ConfigurationMistake[] = [...document.mistakes];
  const wrong: Wrong = (path, message) => mistakes.push({ ...document.at(path, false), message });
  const written = mistakes.length === 0 ? checkShape(document, mistakes) : undefined;
  const mapping = written === undefined ? undefined : assemble(written, wrong);
  if (mapping === undefined || mistakes.length > 0) throw new ConfigurationError(mistakes, 'The mapping');
  return mapping;
}

function checkShape(document: YamlDocument, mistakes: ConfigurationMistake[]): WrittenMapping | undefined {
  const checked = check(mappingShape, spelledOut(document.value));
  if (checked.ok) return checked.value;
  for (const { path, onKey, message } of checked.mistakes) {
    // `kind: operation` was spelt out before it was looked at.
    const isShort = path.join('.') === 'kind.value' && isScalarAt(document.value, 'kind');
    mistakes.push(
      isShort
        ? { ...document.at(['kind'], false), message: message.replace('kind.value', 'kind') }
        : { ...document.at(path, onKey), message },
    );
  }
  return undefined;
}

/** Short forms as their long ones: `kind: operation`, and a column for a member. */
function spelledOut(value: unknown): unknown {
  if (!isMapping(value)) return value;
  const long: Record<string, unknown> = { ...value };
  if (long['kind'] instanceof WrittenScalar) long['kind'] = { value: long['kind'] };
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

function isScalarAt(value: unknown, key: string): boolean {
  return isMapping(value) && value[key] instanceof WrittenScalar;
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenScalar);
}

function assemble(written: WrittenMapping, wrong: Wrong): Mapping {
  const { format, delimiter, quotes, columns, encoding, decimal, time, label } = written;
  const used = kindsOf(written);
  for (const kind of kinds) {
    if (!used.includes(kind) && written[kind] !== undefined)
      wrong([kind], `${kind} is mapped, and no line is of this kind`);
  }
  return {
    format,
    csv: { delimiter: delimiter === 'tab' ? '\t' : delimiter, quotes, columns },
    encoding,
    decimal,
    time: { column: time.column, format: time.format, zone: time.zone },
    kind: kindOf(written, wrong),
    label:
      label === undefined
        ? undefined
        : {
            column: label.column,
            words: wordsOf({ fraud: label.fraud, legitimate: label.legitimate }, ['label'], wrong),
          },
    members: Object.fromEntries(used.map((kind) => [kind, membersOf(kind, written[kind], wrong)])),
  };
}

function kindsOf({ kind }: WrittenMapping): readonly EventKind[] {
  return kind.value === undefined ? kinds.filter((one) => kind[one] !== undefined) : [kind.value];
}

function kindOf({ kind }: WrittenMapping, wrong: Wrong): Mapping['kind'] {
  if (kind.value !== undefined) return kind.value;
  const { login, logout, operation } = kind;
  return { column: kind.column!, words: wordsOf({ login, logout, operation }, ['kind'], wrong) };
}

/** What each word means; a word can't mean two things. */
function wordsOf<Meaning extends string>(
  lists: Readonly<Record<Meaning, readonly string[] | undefined>>,
  path: Path,
  wrong: Wrong,
): ReadonlyMap<string, Meaning> {
  const words = new Map<string, Meaning>();
  for (const [meaning, list] of Object.entries(lists) as [Meaning, readonly string[] | undefined][]) {
    for (const [i, word] of (list ?? []).entries()) {
      if (words.has(word)) wrong([...path, meaning, i], `"${word}" means ${words.get(word)} already`);
      words.set(word, meaning);
    }
  }
  return words;
}

function membersOf(
  kind: EventKind,
  written: WrittenMapping[EventKind] = {},
  wrong: Wrong = () => {},
): readonly MappedMember[] {
  const known = wireMembers[kind];
  const members = Object.entries(written).flatMap(([path, source]): MappedMember[] => {
    const type = path.startsWith(detailsPrefix) ? 'text' : known.find((one) => one.path === path)?.type;
    if (type === undefined) {
      wrong([kind, path], unknownMember(kind, path));
      return [];
    }
    const { column, default: otherwise, value } = source;
    return [{ path, type, source: column === undefined ? { value: value! } : { column, default: otherwise } }];
  });
  for (const { path, required } of known) {
    if (required && written[path] === undefined)
      wrong([kind], `${kind} needs ${path}: name its column, or give all lines the same: ${path}: { value: … }`);
  }
  return members;
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
