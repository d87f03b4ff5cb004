import type { Pool } from 'pg';

interface Bounds {
  /** Events of one statement: some 20 ms, so that nobody waits for it. */
  readonly batchEventsMax: number;
  /** After so many statements, a million events, further erasures wait for the next round. */
  readonly batchesMax: number;
}

const usual: Bounds = { batchEventsMax: 1_000, batchesMax: 1_000 };
/** A batch of decisions that was opened before the erasure is written by then. */
const settled = `interval '1 minute'`;

interface Erasure {
  readonly id: number;
  readonly workspace_id: string;
  readonly subject: string;
}

/**
 * Takes away by what events of erased clients were found: who asks for an account number finds nothing of its holder any
 * more. One erasure after the other, in their order; a client is erased at once, and this takes as long as it has events.
 * One that was cut by a stop begins anew; so a round never leaves one half done, however many events it has.
 *
 * @returns whether nothing is left that is a minute old
 */
export async function forgetErased(pool: Pool, stop: AbortSignal, bounds: Bounds = usual): Promise<boolean> {
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

/** The newest events of the client before an offset. @returns the first of them; `undefined` when there are no others */
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
             update event_entity n
                set device = null, ip = null, account = null, payee = null, reference = null, amount = null, currency = null
              where n.workspace_id = $1 and n."offset" = any (array (select "offset" from page)))
           select count(*)::integer as events, min("offset") as first from page`,
    values: [of.workspace_id, of.subject, before, eventsMax],
  });
  const { events, first } = found.rows[0]!;
  return events < eventsMax ? undefined : first;
}
