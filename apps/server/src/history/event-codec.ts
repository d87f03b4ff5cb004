import { assert, type Enrichment, type EpochMs, type Event, type EventKind } from '@ringfence/contract';
import type { Label } from '@ringfence/engine';
import type { HistoryReader, HistoryWriter } from './history-bytes.ts';
import { type EventField, eventFields } from './event-fields.ts';

/** An event as the engine accepts it, with its enrichment, body hash and label. */
export interface PackableEvent {
  readonly event: Event;
  readonly enrichment: Enrichment;
  /** Equal for byte-equal bodies. */
  readonly bodyHash: string;
  readonly label: Label | undefined;
}

/*
 * A packed event:
 *
 *   flags       kind (2 bits), label (2), whether it states its own time (1), whether it has enrichment facts (1)
 *   stated time, facts as JSON, body hash
 *   presence    one bit for each member of `eventFields`
 *   members     those that are present, in that order
 *
 * Reading takes a third of the work of JSON, and a third of its size. An object without members equals an absent one.
 */
const kinds: readonly EventKind[] = ['login', 'logout', 'operation'];
const labels: readonly (Label | undefined)[] = [undefined, 'fraud', 'legitimate'];
const statedFlag = 16;
const factsFlag = 32;

type Members = Readonly<Record<string, unknown>>;
type Writable = Record<string, unknown>;

export function packEvent(writer: HistoryWriter, { event, enrichment, bodyHash, label }: PackableEvent): void {
  const { statedAtMs, facts } = enrichment;
  const factsText = JSON.stringify(facts);
  const hasFacts = factsText !== '{}';
  const labelled = labels.indexOf(label) * 4;
  writer.uint(
    kinds.indexOf(event.kind) | labelled | (statedAtMs === undefined ? 0 : statedFlag) | (hasFacts ? factsFlag : 0),
  );
  if (statedAtMs !== undefined) writer.int(statedAtMs);
  if (hasFacts) writer.text(factsText);
  writer.text(bodyHash);
  const fields = eventFields[event.kind];
  let presence = 0;
  for (let i = 0; i < fields.length; i++) if (valueOf(event, fields[i]!) !== undefined) presence += 2 ** i;
  writer.uint(presence);
  for (const field of fields) {
    const value = valueOf(event, field);
    if (value !== undefined) writeValue(writer, field, value);
  }
}

function valueOf(event: Event, { name, inside }: EventField): unknown {
  const holder = inside === undefined ? event : (event as unknown as Members)[inside];
  return holder === undefined ? undefined : (holder as Members)[name];
}

function writeValue(writer: HistoryWriter, { type }: EventField, value: unknown): void {
  switch (type) {
    case 'text':
      writer.text(value as string);
      return;
    case 'int':
      writer.int(value as number);
      return;
    case 'texts': {
      const entries = Object.entries(value as Readonly<Record<string, string>>);
      writer.uint(entries.length);
      for (const [name, text] of entries) {
        writer.text(name);
        writer.text(text);
      }
    }
  }
}

/** @throws InvariantError for bytes that `packEvent` did not write */
export function unpackEvent(reader: HistoryReader): PackableEvent {
  const flags = reader.uint();
  const kind = kinds[flags & 3];
  assert(kind !== undefined, 'a packed event is of a known kind');
  const statedAtMs = (flags & statedFlag) === 0 ? undefined : (reader.int() as EpochMs);
  const facts = (flags & factsFlag) === 0 ? noFacts : factsOf(reader.text());
  const bodyHash = reader.text();
  return {
    event: readMembers(reader, kind),
    enrichment: statedAtMs === undefined ? { facts } : { statedAtMs, facts },
    bodyHash,
    label: labels[(flags >> 2) & 3],
  };
}

function readMembers(reader: HistoryReader, kind: EventKind): Event {
  const event: Writable = { kind };
  const fields = eventFields[kind];
  let presence = reader.uint();
  let holder = event;
  let inside: string | undefined;
  for (let i = 0; presence > 0; i++) {
    const isThere = presence % 2 === 1;
    presence = Math.floor(presence / 2);
    if (!isThere) continue;
    const field = fields[i];
    assert(field !== undefined, 'a packed event has known members');
    if (field.inside !== inside) {
      inside = field.inside;
      holder = inside === undefined ? event : ((event[inside] ??= {}) as Writable);
    }
    holder[field.name] = readValue(reader, field);
  }
  return event as unknown as Event;
}

function readValue(reader: HistoryReader, { type }: EventField): unknown {
  switch (type) {
    case 'text':
      return reader.text();
    case 'int':
      return reader.int();
    case 'texts': {
      const texts: Record<string, string> = {};
      for (let left = reader.uint(); left > 0; left--) {
        const name = reader.text();
        texts[name] = reader.text();
      }
      return texts;
    }
  }
}

type Facts = Enrichment['facts'];
const noFacts: Facts = {};
/** Events have only a handful of different facts: each text is parsed once. */
const knownFacts = new Map<string, Facts>();
const knownFactsMax = 256;

function factsOf(text: string): Facts {
  const known = knownFacts.get(text);
  if (known !== undefined) return known;
  const facts = JSON.parse(text) as Facts;
  if (knownFacts.size < knownFactsMax) knownFacts.set(text, facts);
  return facts;
}
