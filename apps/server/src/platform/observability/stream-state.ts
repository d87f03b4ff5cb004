import type { Pool } from 'pg';

/** How far a stream has come, from the database: the same in all processes. */
export interface StreamState {
  readonly name: string;
  /** Where it goes to, for people. */
  readonly target: string;
  /** Whether a process has it in its configuration and looked at it within a minute. */
  readonly isRunning: boolean;
  /** Milliseconds since which something waits to leave, beyond what the clock of its files lets it wait; 0: nothing does. */
  readonly lagMs: number;
  /** Since when attempts fail, and why. */
  readonly failingSinceMs: number | undefined;
  readonly error: string | undefined;
  /** When retention last removed something that had not left. */
  readonly lostAtMs: number | undefined;
  readonly kinds: readonly { readonly kind: string; readonly sent: number; readonly lagMs: number }[];
}

/**
 * Whether there may be something behind a cursor `c` of the engine position `e`: one look-up in an index for each.
 */
export const isAhead = `
  coalesce(case c.kind
    when 'decisions' then e.next_offset > c.position
    when 'outcomes' then e.next_offset > c.position
    when 'actions' then (select max(a.seq) from action a where a.workspace_id = c.workspace_id) >= c.position
    when 'alerts' then (select max(l.seq) from console_live l where l.workspace_id = c.workspace_id) >= c.position
    else (select h.seq from audit_head h) >= c.position
  end, false)`;

/** Since its cursors were made, a stream has looked at least so often. */
const runningMs = 60_000;
/** Between two notes that all has left. */
const restMs = 15_000;

interface Row {
  readonly name: string;
  readonly target: string;
  readonly interval_ms: number;
  readonly looked_at: Date;
  readonly failing_since: Date | null;
  readonly error: string | null;
  readonly lost_at: Date | null;
  readonly kind: string | null;
  readonly sent: number | null;
  /** What waits has come since, at the earliest; null: nothing waits. */
  readonly behind: Date | null;
}

/** All streams that ever ran and were not forgotten, by name. */
export async function readStreamStates(pool: Pool, nowMs: number): Promise<readonly StreamState[]> {
  const found = await pool.query<Row>(
    `select s.name, s.target, s.interval_ms, s.looked_at, s.failing_since, s.error, c.kind, sum(c.sent)::bigint as sent,
            max(c.lost_at) as lost_at, min(greatest(c.through, s.began_at)) filter (where ${isAhead}) as behind
       from stream s left join stream_cursor c on c.stream = s.name left join engine_position e using (workspace_id)
      group by s.name, c.kind order by s.name, c.kind`,
  );
  const lagOf = ({ behind, interval_ms: intervalMs }: Row): number => {
    const lag = behind === null ? 0 : nowMs - behind.getTime() - intervalMs;
    return lag <= restMs ? 0 : lag;
  };
  return [...Map.groupBy(found.rows, ({ name }) => name)].map(([name, rows]) => {
    const [first] = rows as [Row];
    const lost = rows.flatMap(({ lost_at: at }) => at?.getTime() ?? []);
    const kinds = rows.flatMap((row) =>
      row.kind === null ? [] : [{ kind: row.kind, sent: row.sent ?? 0, lagMs: lagOf(row) }],
    );
    return {
      name,
      target: first.target,
      isRunning: nowMs - first.looked_at.getTime() < runningMs + restMs,
      lagMs: Math.max(0, ...kinds.map(({ lagMs }) => lagMs)),
      failingSinceMs: first.failing_since?.getTime(),
      error: first.error ?? undefined,
      lostAtMs: lost.length === 0 ? undefined : Math.max(...lost),
      kinds,
    };
  });
}

/** The streams of several databases: each as far as it has come in the slowest. */
export function joinStreams(ofDatabases: readonly (readonly StreamState[])[]): readonly StreamState[] {
  const byName = Map.groupBy(ofDatabases.flat(), ({ name }) => name);
  return [...byName.values()].map(joined).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function joined(parts: readonly StreamState[]): StreamState {
  const [first, ...others] = parts as [StreamState, ...StreamState[]];
  if (others.length === 0) return first;
  const known = (values: readonly (number | undefined)[]): readonly number[] => values.flatMap((one) => one ?? []);
  const failing = known(parts.map(({ failingSinceMs }) => failingSinceMs));
  const lost = known(parts.map(({ lostAtMs }) => lostAtMs));
  const kinds = Map.groupBy(
    parts.flatMap((one) => one.kinds),
    ({ kind }) => kind,
  );
  return {
    ...first,
    isRunning: parts.every(({ isRunning }) => isRunning),
    lagMs: Math.max(...parts.map(({ lagMs }) => lagMs)),
    failingSinceMs: failing.length === 0 ? undefined : Math.min(...failing),
    error: parts.find(({ error }) => error !== undefined)?.error,
    lostAtMs: lost.length === 0 ? undefined : Math.max(...lost),
    kinds: Array.from(kinds, ([kind, all]) => ({
      kind,
      sent: all.reduce((sum, { sent }) => sum + sent, 0),
      lagMs: Math.max(...all.map(({ lagMs }) => lagMs)),
    })),
  };
}
