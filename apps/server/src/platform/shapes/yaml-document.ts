import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import type { ConfigurationMistake } from './mistakes.ts';
import { fillPlaceholders, hidePlaceholders, placeholdersIn, showPlaceholders } from './placeholders.ts';
import { WrittenScalar } from './written-scalar.ts';

type Path = readonly (string | number)[];
type Place = Pick<ConfigurationMistake, 'where' | 'line' | 'column'>;
type Environment = Readonly<Record<string, string | undefined>>;

/** A parsed YAML file: mappings and lists as plain objects and arrays, scalars as `WrittenScalar`. */
export interface YamlDocument {
  /** `undefined` if the file is empty or not well-formed. */
  readonly value: unknown;
  /** `path` is that of the wrong value; `undefined` if the file is not well-formed. */
  readonly mistakes: readonly (ConfigurationMistake & { readonly path: Path | undefined })[];
  /** Names of the environment variables that the file uses, in comments too. */
  readonly variables: ReadonlySet<string>;
  /** The location of a value or of its key; for a missing value, the location of its container. */
  at(path: Path, onKey: boolean): Place;
}

/** Limits against alias bombs. */
const nodesMax = 100_000;
const depthMax = 32;

/**
 * Parses YAML 1.2 and replaces `${NAME}` in values by environment variables. Never throws: errors are in `mistakes`.
 */
export function readYaml(file: string, text: string, environment: Environment): YamlDocument {
  const lines = new LineCounter();
  const document = parseDocument(hidePlaceholders(text), { lineCounter: lines, prettyErrors: false });
  const reader = new Reader(document, environment);
  const value =
    document.errors.length === 0 && document.contents !== null ? reader.read(document.contents, []) : undefined;
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { where: file, line: Math.max(1, line), column: Math.max(1, col) };
  };
  const malformed = document.errors.map(({ pos, message }) => ({
    ...place(pos[0]),
    path: undefined,
    message: `not well-formed YAML: ${showPlaceholders(message)}`,
  }));
  return {
    value,
    mistakes: [...malformed, ...reader.mistakes.map(({ offset, ...mistake }) => ({ ...place(offset), ...mistake }))],
    variables: placeholdersIn(text),
    at: (path, onKey) => place(reader.offsetOf(path, onKey)),
  };
}

/** Converts a parsed document to plain values, and remembers their locations. */
class Reader {
  readonly mistakes: { readonly offset: number; readonly path: Path; readonly message: string }[] = [];
  readonly #document: Document.Parsed;
  readonly #environment: Environment;
  readonly #offsets = new Map<string, { readonly key: number; readonly value: number }>();
  #nodes = 0;

  constructor(document: Document.Parsed, environment: Environment) {
    this.#document = document;
    this.#environment = environment;
  }

  /** Character offset in the file. */
  offsetOf(path: Path, onKey: boolean): number {
    for (let length = path.length; length > 0; length--) {
      const found = this.#offsets.get(pathKey(path.slice(0, length)));
      if (found !== undefined) return onKey || length < path.length ? found.key : found.value;
    }
    return this.#document.contents?.range[0] ?? 0;
  }

  read(node: unknown, path: Path): unknown {
    const offset = offsetIn(node) ?? this.offsetOf(path, false);
    if (this.#nodes++ > nodesMax || path.length > depthMax) {
      if (this.#nodes <= nodesMax + 1)
        this.mistakes.push({ offset, path, message: 'the file is too large or too deeply nested' });
      return null;
    }
    if (isAlias(node)) return this.#readAlias(node.resolve(this.#document), offset, path);
    if (isMap(node)) return this.#readMap(node, path);
    if (isSeq(node)) return node.items.map((item, i) => this.#readAt(item, [...path, i], offsetIn(item) ?? offset));
    if (isScalar(node)) return this.#readScalar(node, offset, path);
    return new WrittenScalar(null, '', 'file');
  }

  #readAlias(target: unknown, offset: number, path: Path): unknown {
    if (target !== undefined) return this.read(target, path);
    this.mistakes.push({ offset, path, message: 'this alias (*name) has no anchor (&name) above it' });
    return undefined;
  }

  #readMap(node: YAMLMap, path: Path): unknown {
    const result: [string, unknown][] = [];
    for (const pair of node.items) {
      const at = offsetIn(pair.key) ?? 0;
      if (isScalar(pair.key)) {
        const key = showPlaceholders(String(pair.key.value));
        result.push([key, this.#readAt(pair.value, [...path, key], at)]);
      } else {
        this.mistakes.push({ offset: at, path, message: 'expected a plain key' });
      }
    }
    return Object.fromEntries(result);
  }

  #readAt(node: unknown, path: Path, keyOffset: number): unknown {
    this.#offsets.set(pathKey(path), { key: keyOffset, value: offsetIn(node) ?? keyOffset });
    return this.read(node, path);
  }

  #readScalar(node: Scalar, offset: number, path: Path): unknown {
    // A value that YAML reads as a number keeps its digits: they may be a license key's.
    const text = typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
    const filled = fillPlaceholders(text, this.#environment);
    if (!filled.ok) {
      this.mistakes.push({ offset, path, message: filled.message });
      return undefined;
    }
    return filled.interpolated
      ? new WrittenScalar(filled.text, filled.text, 'environment')
      : new WrittenScalar(node.value, filled.text, 'file');
  }
}

function pathKey(path: Path): string {
  return path.join('\0');
}

function offsetIn(node: unknown): number | undefined {
  const range = (node as { readonly range?: readonly number[] | null } | null)?.range;
  // A key without a value has an empty node, which may be on the next line.
  return range === undefined || range === null || range[0] === range[1] ? undefined : range[0];
}
