import { clientOf, sessionOf } from '@ringfence/contract';
import type { EventLog } from '@ringfence/log';
import type { Pool } from 'pg';
import type { EventTable } from '../platform/database/tables.ts';
import { openEvents, type OpenedEvent } from '../records/event-opener.ts';
import { subjectsIn } from '../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { entitiesOf, type EntityKind, entityKinds } from './event-index/entities.ts';
import { type EntityRef, printRef, type RefKind } from './entity-ref.ts';
import { look, whereNamed } from './search.ts';

/** The newest events in which neighbours are searched: more than a person reads. */
const eventsMax = 500;
/** Neighbours of each kind, those with the most events first. */
const linksMax = 12;

/** An entity that occurs in the same events. */
export interface EntityLink {
  readonly ref: EntityRef;
  /** Its value; `undefined` when it is no longer readable. */
  readonly value: string | undefined;
  readonly events: number;
  /** How many of them fired a live rule. */
  readonly fired: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}

export interface Neighbourhood {
  readonly value: string | undefined;
  /** At most 1,000. */
  readonly events: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly links: readonly EntityLink[];
}

interface LinkDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
}

type NamingRow = Pick<EventTable, 'offset' | 'kind' | 'subject' | 'session_index' | 'logged_at' | 'fired'> &
  Readonly<Record<EntityKind, Buffer | null>>;

/** The entities that occur with this one in its newest 500 events; `undefined` when no event contains it. */
export async function neighboursOf(
  deps: LinkDeps,
  workspace: Workspace,
  ref: EntityRef,
): Promise<Neighbourhood | undefined> {
  const hit = await look(deps.pool, workspace.id, ref);
  if (hit === undefined) return undefined;
  const { from, value } = whereNamed(ref);
  const found = await deps.pool.query<NamingRow>(
    `select n."offset", n.kind, n.subject, n.session_index, n.logged_at, n.fired, ${entityKinds.map((kind) => `n.${kind}`).join(', ')}
       from ${from} order by n."offset" desc limit ${eventsMax}`,
    [workspace.id, value],
  );
  const self = `${ref.kind}:${printRef(ref)}`;
  const all = tallied(found.rows);
  const others = [...all.values()].filter((one) => `${one.ref.kind}:${printRef(one.ref)}` !== self);
  const shown = [...Map.groupBy(others, (one) => one.ref.kind).values()].flatMap((links) =>
    links.toSorted((a, b) => b.events - a.events || b.lastAtMs - a.lastAtMs).slice(0, linksMax),
  );
  const own = all.get(self);
  const values = await valuesOf(deps, workspace, own === undefined ? shown : [own, ...shown]);
  return {
    value: own === undefined ? undefined : values.get(own),
    events: hit.events,
    firstAtMs: found.rows.at(-1)?.logged_at.getTime() ?? hit.lastAtMs,
    lastAtMs: hit.lastAtMs,
    links: shown.map((link) => ({ ...withoutSample(link), value: values.get(link) })),
  };
}

function withoutSample({ sample: _sample, ...link }: Tallied): Omit<Tallied, 'sample'> {
  return link;
}

interface Tallied {
  readonly ref: EntityRef;
  events: number;
  fired: number;
  firstAtMs: number;
  readonly lastAtMs: number;
  /** The newest event that contains it. */
  readonly sample: NamingRow;
}

function tallied(rows: readonly NamingRow[]): ReadonlyMap<string, Tallied> {
  const all = new Map<string, Tallied>();
  for (const row of rows) {
    const atMs = row.logged_at.getTime();
    for (const ref of refsOf(row)) {
      const name = `${ref.kind}:${printRef(ref)}`;
      const known = all.get(name);
      const fired = row.fired.length > 0 ? 1 : 0;
      if (known === undefined) all.set(name, { ref, events: 1, fired, firstAtMs: atMs, lastAtMs: atMs, sample: row });
      else {
        known.events++;
        known.fired += fired;
        known.firstAtMs = atMs;
      }
    }
  }
  return all;
}

function refsOf(row: NamingRow): readonly EntityRef[] {
  return [
    ...(row.subject === null ? [] : [{ kind: 'client', subject: row.subject } as const]),
    ...(row.session_index === null ? [] : [{ kind: 'session', index: row.session_index } as const]),
    ...entityKinds.flatMap((kind) => {
      const index = row[kind];
      return index === null ? [] : [{ kind, index }];
    }),
  ];
}

/** Reads the values of entities, each from one event that contains it. */
async function valuesOf(
  { log, subjects }: LinkDeps,
  workspace: Workspace,
  links: readonly Tallied[],
): Promise<ReadonlyMap<Tallied, string>> {
  const samples = links.map(({ sample }) => sample);
  const keys = await subjects.bySubject(workspace, subjectsIn(samples));
  const events = await openEvents(log, workspace, { offsets: [...new Set(samples.map(({ offset }) => offset))], keys });
  const values = new Map<Tallied, string>();
  for (const link of links) {
    const event = events.get(link.sample.offset);
    const value = event === undefined ? undefined : valueIn(event, link.ref.kind);
    if (value !== undefined) values.set(link, value);
  }
  return values;
}

function valueIn({ event, facts }: OpenedEvent, kind: RefKind): string | undefined {
  if (kind === 'client') return clientOf(event);
  if (kind === 'session') return sessionOf(event);
  return entitiesOf(event, facts)[kind];
}
