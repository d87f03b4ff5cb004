import type { Pool } from 'pg';

/** A move under way, as the home database has it. */
export interface MoveUnderWay {
  readonly id: string;
  readonly name: string;
  readonly environment: 'production' | 'development';
  readonly from: string;
  readonly to: string;
  readonly phase: 'copying' | 'closing' | 'switched' | 'kept' | 'removing' | 'aborting';
  /** Rows copied, 0 to 99 %. */
  readonly percent: number;
}

/** Those under way or over without their rows removed, the oldest first. */
export async function readMoves(home: Pool): Promise<readonly MoveUnderWay[]> {
  const { rows } = await home.query<Omit<MoveUnderWay, 'percent'> & { readonly rows: number; readonly total: number }>(
    `select workspace_id as id, name, environment, from_database as from, to_database as to, phase, rows, rows_total as total
       from workspace_move order by started_at`,
  );
  return rows.map(({ rows: done, total, ...move }) => ({
    ...move,
    percent: total === 0 ? 0 : Math.min(99, Math.floor((done / total) * 100)),
  }));
}

/** For lists: `, copying 62 %`. */
export function howItMoves({ phase, percent }: MoveUnderWay): string {
  if (phase === 'copying') return `, copying ${percent} %`;
  if (phase === 'closing') return ', closing';
  return phase === 'aborting' ? ', being given up' : '';
}
