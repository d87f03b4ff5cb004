import type { Pool } from 'pg';
import { hasEventsBefore } from '../../records/event-ranges/event-ranges.ts';

interface Bounds {
  /** Events per statement: some 20 ms, so that nothing waits for long. */
  readonly batchEventsMax: number;
  /** After this many statements, a million events, further erasures wait for the next round. */
  readonly batchesMax: number;
}

const usual: Bounds = { batchEventsMax: 1_000, batchesMax: 1_000 };
/** By then, a batch of decisions that was opened before the erasure is written. */
const settled = `interval '1 minute'`;

interface Erasure {
  readonly id: number;
  readonly workspace_id: string;
  readonly subject: string;
}

/**
 * Clears the search entries of events of erased clients: a search for an account number no longer finds its holder's
 * events. Erasures are processed one after the other, in order. The erasure itself is immediate; this takes time
 * proportional to the client's events. An erasure interrupted by a stop starts over; a round never leaves one half
 * done, however many events it has.
 *
 * @returns whether no erasure older than a minute is left
 */
export async function forgetErased(pool: Pool, stop: AbortSignal, bounds: Bounds = usual): Promise<boolean> {
  if (await hasEventsBefore(pool)) return false; // they are moved first
  let batches = 0;
  for (;;) {
    const erasure = await nextErasure(pool);
    if (erasure === undefined) return true;
    if (batches >= bounds.batchesMax) return false;
    for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; batches++) {
      if (stop.aborted) return false;
      before = await forgetEvents(pool, erasure, { before, eventsMax: bounds.batchEventsMax });
    }
    await pool.query(
      `insert into erasure_forgotten (erasure_id) values ($1) on conflict (singleton) do update set erasure_id = $1`,
      [erasure.id],
    );
  }
}

async function nextErasure(pool: Pool): Promise<Erasure | undefined> {
  const found = await pool.query<Erasure>(
    `select id, workspace_id, subject from erasure
      where id > coalesce((select erasure_id from erasure_forgotten), 0) and erased_at < now() - ${settled}
      order by id limit 1`,
  );
  return found.rows[0];
}

/** Clears the client's newest events before an offset. @returns the lowest offset; `undefined` when none remain */
async function forgetEvents(
  pool: Pool,
  of: Erasure,
  { before, eventsMax }: { readonly before: number; readonly eventsMax: number },
): Promise<number | undefined> {
  const found = await pool.query<{ events: number; first: number }>({
    name: 'forget_events',
    text: `with page as materialized (
             select "offset" from event where workspace_id = $1 and subject = $2 and "offset" < $3
              order by "offset" desc limit $4),
           forgotten as (
             update event e
                set device = null, ip = null, account = null, payee = null, reference = null, amount = null, currency = null,
                    payee_bank = null, country = null
              where e.workspace_id = $1 and e."offset" = any (array (select "offset" from page)))
           select count(*)::integer as events, min("offset") as first from page`,
    values: [of.workspace_id, of.subject, before, eventsMax],
  });
  const { events, first } = found.rows[0]!;
  return events < eventsMax ? undefined : first;
}
