import type { Enrichment } from '@ringfence/contract';
import type { EventLog } from '@ringfence/log';
import type { Pool } from 'pg';
import type { EventTable } from '../platform/database/tables.ts';
import { openEvents } from '../records/event-opener.ts';
import { subjectsIn } from '../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { EntityRef } from './entity-ref.ts';
import { whereNamed } from './search.ts';

/** The newest logins and logouts, from which places are determined. */
const eventsMax = 300;

/** The origin of events: a city if known, otherwise a country, and a network operator in it. */
export interface Place {
  readonly country: string;
  /** Known if the operator of the service configured a database of cities. */
  readonly city: City | undefined;
  readonly operator: number | undefined;
  events: number;
  /** How many of them fired a live rule. */
  fired: number;
  firstAtMs: number;
  readonly lastAtMs: number;
}

export interface City {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
}

interface PlaceDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
}

/** Origins of the newest 300 logins and logouts with this entity, the most frequent first. */
export async function placesOf(deps: PlaceDeps, workspace: Workspace, ref: EntityRef): Promise<readonly Place[]> {
  const { from, value } = whereNamed(ref);
  const { rows } = await deps.pool.query<Pick<EventTable, 'offset' | 'kind' | 'subject' | 'logged_at' | 'fired'>>(
    `select e."offset", e.kind, e.subject, e.logged_at, e.fired
       from (select n."offset" from ${from}) named
       join event e on e.workspace_id = $1 and e."offset" = named."offset" and e.kind <> 'operation'
      order by e."offset" desc limit ${eventsMax}`,
    [workspace.id, value],
  );
  const keys = await deps.subjects.bySubject(workspace, subjectsIn(rows));
  const events = await openEvents(deps.log, workspace, { offsets: rows.map(({ offset }) => offset), keys });
  const places = new Map<string, Place>();
  for (const { offset, logged_at: loggedAt, fired } of rows) {
    const opened = events.get(offset);
    const country = opened?.facts['ip.country'];
    if (typeof country !== 'string') continue;
    const asn = opened?.facts['ip.asn'];
    const operator = typeof asn === 'number' ? asn : undefined;
    const atMs = loggedAt.getTime();
    const city = cityOf(opened?.facts ?? {});
    const name = `${country} ${city?.name ?? ''} ${operator ?? ''}`;
    const place = places.get(name) ?? { country, city, operator, events: 0, fired: 0, firstAtMs: atMs, lastAtMs: atMs };
    place.events += 1;
    place.fired += fired.length > 0 ? 1 : 0;
    place.firstAtMs = atMs;
    places.set(name, place);
  }
  return [...places.values()].toSorted((a, b) => b.events - a.events || b.lastAtMs - a.lastAtMs);
}

/** Without a city the position is the centre of the country, not an origin. */
function cityOf(facts: Enrichment['facts']): City | undefined {
  const { 'ip.city': name, 'ip.latitude': latitude, 'ip.longitude': longitude } = facts;
  const isKnown = typeof name === 'string' && typeof latitude === 'number' && typeof longitude === 'number';
  return isKnown ? { name, latitude, longitude } : undefined;
}
