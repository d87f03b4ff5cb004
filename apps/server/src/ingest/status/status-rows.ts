import { bytesArray, int8Array } from '@ringfence/log';
import type { Pool } from 'pg';
import type { EventTable } from '../../platform/database/tables.ts';

/** An event by its place in the log, or the newest operation of a client with a reference, by their keyed hashes. */
export type EventAddress =
  | { readonly epoch: number; readonly offset: number }
  | { readonly client: Buffer; readonly reference: Buffer };

type EventRow = Pick<
  EventTable,
  | 'offset'
  | 'epoch'
  | 'status'
  | 'subject'
  | 'session_index'
  | 'channel_id'
  | 'matched'
  | 'mismatch'
  | 'fired'
  | 'detail'
> & {
  /** Whether its payment is held, or was. */
  readonly held: boolean;
};

/** An event, and the one that it repeats, which is the event itself if it repeats none. */
export interface FoundEvent {
  readonly asked: EventRow;
  readonly decided: EventRow;
}

/** Look-ups of one statement. */
const batchMax = 200;

interface Waiting {
  readonly address: EventAddress;
  readonly answer: PromiseWithResolvers<FoundEvent | undefined>;
}

/**
 * Finds events. One statement of a workspace runs at a time; requests that arrive meanwhile share the next one.
 */
export class StatusRows {
  readonly #pool: Pool;
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** `undefined` if there is none in the table of events. */
  find(workspaceId: string, address: EventAddress): Promise<FoundEvent | undefined> {
    const answer = Promise.withResolvers<FoundEvent | undefined>();
    const waiting = this.#waiting.get(workspaceId);
    if (waiting === undefined) {
      this.#waiting.set(workspaceId, [{ address, answer }]);
      void this.#run(workspaceId);
    } else waiting.push({ address, answer });
    return answer.promise;
  }

  async #run(workspaceId: string): Promise<void> {
    for (;;) {
      const batch = this.#waiting.get(workspaceId)!.splice(0, batchMax);
      if (batch.length === 0) break;
      try {
        const found = await findEvents(
          this.#pool,
          workspaceId,
          batch.map(({ address }) => address),
        );
        for (const [place, { answer }] of batch.entries()) answer.resolve(found.get(place));
      } catch (error) {
        for (const { answer } of batch) answer.reject(error);
      }
    }
    this.#waiting.delete(workspaceId);
  }
}

async function findEvents(
  pool: Pool,
  workspaceId: string,
  addresses: readonly EventAddress[],
): Promise<ReadonlyMap<number, FoundEvent>> {
  const placed = addresses.map((address, place) => ({ address, place }));
  const byId = placed.flatMap(({ address, place }) => ('offset' in address ? [{ place, ...address }] : []));
  const byReference = placed.flatMap(({ address, place }) => ('client' in address ? [{ place, ...address }] : []));
  const found = await pool.query<EventRow & { readonly place: number }>({
    name: 'status_events',
    // Each lateral join forces one index look-up per question, even if the plan was made when the table was small.
    text: `with recursive found as (
             (select a.place, e.${columns.join(', e.')}
               from unnest($2::bigint[], $3::bigint[], $4::bigint[]) as a(place, "offset", epoch)
              cross join lateral (
                select * from event where workspace_id = $1 and "offset" = a."offset" and epoch = a.epoch limit 1) e
             union all
             select a.place, e.${columns.join(', e.')}
               from unnest($5::bigint[], $6::bytea[], $7::bytea[]) as a(place, client, reference)
              cross join lateral (
                select id from subject where workspace_id = $1 and client_index = a.client limit 1) s
              cross join lateral (
                select e.*
                  from (select "offset" from event where workspace_id = $1 and reference = a.reference
                        union all
                        select "offset" from event where workspace_id = $1 and sent_reference = a.reference) n
                 cross join lateral (
                   select * from event where workspace_id = $1 and "offset" = n."offset" limit 1) e
                 where e.subject = s.id
                 order by n."offset" desc limit 1) e)
             union all
             select f.place, e.${columns.join(', e.')}
               from found f
              cross join lateral (
                select * from event where workspace_id = $1 and "offset" = f.repeat_of limit 1) e
              where f.status = 'repeat'
           )
           select found.*, exists (
                    select 1 from hold_member m where m.workspace_id = $1 and m."offset" = found."offset") as held
             from found`,
    values: [
      workspaceId,
      int8Array(byId.map(({ place }) => place)),
      int8Array(byId.map(({ offset }) => offset)),
      int8Array(byId.map(({ epoch }) => epoch)),
      int8Array(byReference.map(({ place }) => place)),
      bytesArray(byReference.map(({ client }) => client)),
      bytesArray(byReference.map(({ reference }) => reference)),
    ],
  });
  return chained(found.rows);
}

const columns = [
  '"offset"',
  'epoch',
  'status',
  'repeat_of',
  'subject',
  'session_index',
  'channel_id',
  'matched',
  'mismatch',
  'fired',
  'detail',
];

/** What an event repeats has a lower offset: the first of a chain was asked about, the last was decided. */
function chained(rows: readonly (EventRow & { readonly place: number })[]): ReadonlyMap<number, FoundEvent> {
  const found = new Map<number, FoundEvent>();
  for (const row of rows) {
    const known = found.get(row.place);
    const asked = known === undefined || row.offset > known.asked.offset ? row : known.asked;
    const decided = known === undefined || row.offset < known.decided.offset ? row : known.decided;
    found.set(row.place, { asked, decided });
  }
  return found;
}
