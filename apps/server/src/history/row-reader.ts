import { hash } from 'node:crypto';
import {
  clientOf,
  type EpochMs,
  type Event,
  type EventKind,
  parseEvent,
  type EventParseOptions,
  parseJson,
  timeZone,
  type TimeZone,
} from '@ringfence/contract';
import type { NetworkData } from '@ringfence/intel';
import { enrichmentOf } from '../records/enrichment.ts';
import { damageOf } from './damage.ts';
import type { PackableEvent } from './event-codec.ts';
import { columnsOf, type MappedMember, type Mapping } from './mapping/mapping.ts';
import { type CellTime, timeReader } from './mapping/time-format.ts';
import type { Cells } from './reading/row-source.ts';

/** An event made from a row. */
export interface HistoryEvent extends PackableEvent {
  /** When it happened; used as the time at which the log would have received it. */
  readonly atMs: EpochMs;
  /** The client that it names. */
  readonly client: string | undefined;
}

/** Why a row is skipped: the wire's member or the column, and the mistake. Never contains a value. */
export interface RowRefusal {
  readonly member: string;
  readonly reason: string;
}

export interface RowRules {
  /** For times without a zone, when the mapping names none. */
  readonly zone: TimeZone;
  readonly cards: EventParseOptions['cards'];
  readonly hashCard: EventParseOptions['hashCard'];
  readonly networks: NetworkData;
}

/** Base64url characters kept of a body's SHA-256: 96 bits distinguish the bodies of one client's day. */
const bodyHashLength = 16;

type PlaceOf = ReadonlyMap<string, number>;

/** Converts rows to events like ingest converts requests: the same checks, the same masking, the same facts. */
export class RowReader {
  readonly #mapping: Mapping;
  readonly #rules: RowRules;
  readonly #zone: TimeZone;
  readonly #time: NonNullable<ReturnType<typeof timeReader>>;
  readonly #places: PlaceOf;
  readonly #bodies: Readonly<Partial<Record<EventKind, BodyPlan>>>;
  /** Columns that are read as texts, or else as numbers. */
  readonly #looked: readonly { readonly column: string; readonly place: number; readonly isText: boolean }[];
  /** By place: whether a row has a value there. */
  readonly #present: boolean[];
  /** The time of the row before, as long as the file is in the order of its times. */
  #lastMs: number | undefined = Number.NEGATIVE_INFINITY;
  #twice = 0;

  constructor(mapping: Mapping, rules: RowRules) {
    this.#mapping = mapping;
    this.#rules = rules;
    this.#zone = (mapping.time.zone === undefined ? undefined : timeZone(mapping.time.zone)) ?? rules.zone;
    this.#time = timeReader(mapping.time.format)!;
    this.#places = new Map(columnsOf(mapping).map((name, place) => [name, place]));
    this.#bodies = Object.fromEntries(
      Object.entries(mapping.members).map(([kind, members]) => [kind, planBody(members, this.#places)]),
    );
    const read = Object.values(mapping.members)
      .flat()
      .flatMap(({ type, source }) => ('column' in source ? [[source.column, type === 'text'] as const] : []));
    this.#looked = [...new Map(read)].map(([column, isText]) => ({ column, place: this.#places.get(column)!, isText }));
    this.#present = [...this.#places].map(() => false);
  }

  /** Columns that had a value in no row so far. */
  get absent(): readonly string[] {
    return [...this.#places].flatMap(([column, place]) => (this.#present[place] === true ? [] : [column]));
  }

  /** Rows whose time clocks showed twice, because they went back. */
  get twice(): number {
    return this.#twice;
  }

  /** Cells that look damaged. */
  damaged(cells: Cells): readonly { readonly column: string; readonly looksLike: string }[] {
    return this.#looked.flatMap(({ column, place, isText }) => {
      const cell = cells[place];
      const looksLike = cell === undefined || cell === '' ? undefined : damageOf(isText ? cell : cell.trim());
      return looksLike === undefined ? [] : [{ column, looksLike }];
    });
  }

  /** Without the blanks and the words for nothing that the mapping names. */
  clean(cells: Cells): Cells {
    const { trim, nulls } = this.#mapping;
    if (!trim && nulls.size === 0) return cells;
    return cells.map((cell) => {
      const text = trim ? cell?.trim() : cell;
      return text === undefined || nulls.has(text) ? undefined : text;
    });
  }

  read(cells: Cells): HistoryEvent | readonly RowRefusal[] {
    for (const [place, cell] of cells.entries()) {
      if (cell !== undefined && cell !== '') this.#present[place] = true;
    }
    const { time, label: labels, kind: kinds } = this.#mapping;
    const at = this.#time(this.#cell(cells, time.column).trim(), this.#zone);
    if (typeof at === 'string') return [{ member: time.column, reason: at }];
    const atMs = this.#inOrder(at);
    const kind = typeof kinds === 'string' ? kinds : kinds.words.get(this.#cell(cells, kinds.column).trim());
    if (kind === undefined) return [unknownWord(kinds as Exclude<Mapping['kind'], string>)];
    const word = labels === undefined ? '' : this.#cell(cells, labels.column).trim();
    const label = labels?.words.get(word);
    if (labels !== undefined && word !== '' && label === undefined) return [unknownWord(labels)];
    return this.#event({ kind, atMs, label }, cells);
  }

  /** Of a time that clocks showed twice, the second if the rows before are later than the first. */
  #inOrder({ atMs, againMs }: CellTime): EpochMs {
    const last = this.#lastMs;
    if (againMs !== undefined) this.#twice++;
    const isSecond = againMs !== undefined && last !== undefined && atMs < last && againMs >= last;
    const chosen = isSecond ? againMs : atMs;
    this.#lastMs = last === undefined || chosen < last ? undefined : chosen;
    return chosen;
  }

  #event(
    row: { readonly kind: EventKind; readonly atMs: EpochMs; readonly label: PackableEvent['label'] },
    cells: Cells,
  ): HistoryEvent | readonly RowRefusal[] {
    const { kind, atMs, label } = row;
    const plan = this.#bodies[kind]!;
    const isTimed = kind !== 'operation' || plan.statesTime;
    const inner = printMembers(plan.members, cells, this.#mapping.decimal);
    const text = isTimed
      ? `{${inner}}`
      : `{"timestamp":"${new Date(atMs).toISOString()}"${inner === '' ? '' : ','}${inner}}`;
    const json = parseJson(text);
    if (!json.ok) return [{ member: memberOf(json.error.pointer), reason: json.error.detail }];
    const parsed = parseEvent(kind, json, { ...this.#rules, zone: this.#zone });
    if (!parsed.ok) {
      return parsed.errors.map(({ pointer, detail, expected }) => ({
        member: memberOf(pointer),
        reason: `${inCells(detail, expected)} Expected ${expected}.`,
      }));
    }
    return {
      atMs,
      client: clientOf(parsed.event),
      event: isTimed ? parsed.event : withoutTimestamp(parsed.event),
      enrichment: enrichmentOf(parsed.event, parsed.statedAtMs, this.#rules),
      bodyHash: hash('sha256', parsed.bodyText, 'base64url').slice(0, bodyHashLength),
      label,
    };
  }

  #cell(cells: Cells, column: string): string {
    return cells[this.#places.get(column)!] ?? '';
  }
}

/** The name that mappings use for a JSON pointer. */
function memberOf(pointer: string): string {
  return pointer.slice(1).replaceAll('/', '.');
}

/** Every cell is a string, so that detail would mislead: for numbers, report that it is not one. */
function inCells(detail: string, expected: string): string {
  return detail === 'This is a string.' && /^a (?:whole )?number\b/.test(expected) ? 'This is not a number.' : detail;
}

function unknownWord({
  column,
  words,
}: {
  readonly column: string;
  readonly words: ReadonlyMap<string, string>;
}): RowRefusal {
  return {
    member: column,
    reason: `This is not one of the words in the mapping: ${[...words.keys()].join(', ')}.`,
  };
}

/** Removes the timestamp that was inserted for the row's time, which `statedAtMs` contains. */
function withoutTimestamp(event: Event): Event {
  const { timestamp: _, ...rest } = event as Extract<Event, { kind: 'operation' }>;
  return rest;
}

/** A body as a tree: a member with its source, or an object with its members. */
interface BodyPlan {
  readonly members: readonly PlannedMember[];
  /** Whether the body of an operation states its time. */
  readonly statesTime: boolean;
}

type PlannedMember =
  | { readonly key: string; readonly inner: readonly PlannedMember[] }
  | { readonly key: string; readonly text: string }
  | {
      readonly key: string;
      readonly place: number;
      readonly isNumber: boolean;
      /** In the form in which it is printed in the body. */
      readonly otherwise: string | undefined;
    };

function planBody(members: readonly MappedMember[], places: PlaceOf): BodyPlan {
  const statesTime = members.some(({ path }) => path === 'timestamp' || path === 'transaction.date');
  const split = members.map((member) => ({ member, parts: splitPath(member.path) }));
  return { members: planMembers(split, places), statesTime };
}

/** Names within `transaction.details` may contain dots. */
function splitPath(path: string): readonly string[] {
  const parts = path.split('.');
  return parts.length > 3 ? [...parts.slice(0, 2), parts.slice(2).join('.')] : parts;
}

interface SplitMember {
  readonly member: MappedMember;
  readonly parts: readonly string[];
}

function planMembers(members: readonly SplitMember[], places: PlaceOf): readonly PlannedMember[] {
  const byKey = Map.groupBy(members, ({ parts }) => parts[0]!);
  return [...byKey].map(([name, same]): PlannedMember => {
    const key = JSON.stringify(name);
    const [first] = same;
    if (first!.parts.length > 1) {
      const inner = same.map(({ member, parts }) => ({ member, parts: parts.slice(1) }));
      return { key, inner: planMembers(inner, places) };
    }
    const { source, type } = first!.member;
    const isNumber = type === 'number';
    if ('value' in source) return { key, text: jsonOf(source.value, isNumber) };
    const { column, default: otherwise } = source;
    return {
      key,
      place: places.get(column)!,
      isNumber,
      otherwise: otherwise === undefined ? undefined : jsonOf(otherwise, isNumber),
    };
  });
}

/** Omits members whose cell is empty, and objects without members. */
function printMembers(members: readonly PlannedMember[], cells: Cells, decimal: Mapping['decimal']): string {
  let printed = '';
  for (const member of members) {
    const value = printMember(member, cells, decimal);
    if (value !== undefined) printed += `${printed === '' ? '' : ','}${member.key}:${value}`;
  }
  return printed;
}

function printMember(member: PlannedMember, cells: Cells, decimal: Mapping['decimal']): string | undefined {
  if ('text' in member) return member.text;
  if ('inner' in member) {
    const inner = printMembers(member.inner, cells, decimal);
    return inner === '' ? undefined : `{${inner}}`;
  }
  const cell = cells[member.place];
  if (cell === undefined || cell === '') return member.otherwise;
  return member.isNumber ? numberOf(cell.trim(), decimal) : JSON.stringify(cell);
}

const groups = { '.': /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/, ',': /^-?\d{1,3}(?:\.\d{3})+(?:,\d+)?$/ } as const;

/** With decimal commas, `1.234,50` is 1234.50; `1.23` is not a number, and not read as 1.23. */
function numberOf(cell: string, decimal: Mapping['decimal']): string {
  const group = decimal === ',' ? '.' : ',';
  if (cell.includes(group)) {
    if (!groups[decimal].test(cell)) return JSON.stringify(cell);
    return jsonOf(cell.replaceAll(group, '').replace(',', '.'), true);
  }
  return jsonOf(decimal === ',' ? cell.replace(',', '.') : cell, true);
}

const numberGrammar = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Text that is not a number stays a string, and is refused as one. */
function jsonOf(text: string, isNumber: boolean): string {
  const trimmed = isNumber ? text.trim() : text;
  return isNumber && numberGrammar.test(trimmed) ? trimmed : JSON.stringify(text);
}
