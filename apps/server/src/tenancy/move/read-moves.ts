import type { Pool } from 'pg';

/** A move under way, as the home database has it. */
export interface MoveUnderWay {
  readonly id: string;
  readonly name: string;
  readonly environment: 'production' | 'development';
  readonly from: string;
  readonly to: string;
  readonly phase: 'copying' | 'closing' | 'switched' | 'kept' | 'removing' | 'aborting';
  /** For lists: `, copying 62 %`. */
  readonly how: string;
}

export async function readMoves(home: Pool): Promise<readonly MoveUnderWay[]> {
  const { rows } = await home.query<Omit<MoveUnderWay, 'how'> & { readonly rows: number; readonly total: number }>(
    `select workspace_id as id, name, environment, from_database as from, to_database as to, phase, rows, rows_total as total
       from workspace_move order by started_at`,
  );
  return rows.map(({ rows: done, total, ...move }) => ({
    ...move,
    how: howOf(move.phase, total === 0 ? 0 : done / total),
  }));
}

function howOf(phase: MoveUnderWay['phase'], share: number): string {
  if (phase === 'copying') return `, copying ${Math.min(99, Math.floor(share * 100))} %`;
  if (phase === 'closing') return ', closing';
  return phase === 'aborting' ? ', being given up' : '';
}
