import type { Pool } from 'pg';
import type { EngineConditions } from './engine-condition.ts';
import type { HealthCheck } from '../platform/observability/health.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';

/** Revocations take effect within 5 s; a process that has not read the registry for longer than this is not ready. */
const registryStaleMsMax = 10_000;

type Decider = Pick<EngineConditions, 'checkMoving' | 'isReady' | 'isPaused' | 'isFailing'>;

/**
 * The checks that this process must pass to be ready, and those that are only shown. `decider`: `undefined` for a
 * process that only accepts events, which has no checks of the engine.
 */
export function healthChecks(of: {
  readonly pool: Pick<Pool, 'query'>;
  readonly workspaces: () => readonly Pick<Workspace, 'id'>[];
  /** Milliseconds since all workspaces were last known to be current. */
  readonly staleMs: () => number | Promise<number>;
  /** Whether events are stored. */
  readonly storesEvents: HealthCheck['isWell'];
  readonly decider: Decider | undefined;
}): readonly HealthCheck[] {
  const { pool, workspaces, staleMs, storesEvents, decider } = of;
  const ids = (): readonly string[] => workspaces().map(({ id }) => id);
  return [
    { name: 'database', isWell: async () => (await pool.query('select 1')).rowCount === 1 },
    { name: 'workspaces', isWell: async () => (await staleMs()) <= registryStaleMsMax },
    { name: 'log', isWell: storesEvents },
    ...(decider === undefined ? [] : checksOfDeciding(decider, ids)),
  ];
}

function checksOfDeciding(decider: Decider, ids: () => readonly string[]): readonly HealthCheck[] {
  return [
    {
      name: 'engine',
      isWell: () => {
        decider.checkMoving();
        return decider.isReady(ids());
      },
    },
    // These concern single workspaces: the others are still served.
    { name: 'policies', isWell: () => !decider.isPaused(ids()), isServing: true },
    { name: 'hosts', isWell: () => !decider.isFailing(ids()), isServing: true },
  ];
}

/** A database of the process, and the checks of what it serves from there. */
export interface CheckedCell {
  readonly name: string;
  /** None until it is open. */
  readonly checks: () => readonly HealthCheck[];
}

/**
 * The checks of a process with several databases. Each database refuses only what concerns its own workspaces: the process
 * stays ready as long as one of them is well.
 */
export function checksOfCells(cells: readonly CheckedCell[]): readonly HealthCheck[] {
  const isWell = async ({ checks }: CheckedCell): Promise<boolean> => {
    const all = checks();
    if (all.length === 0) throw new Error('the database could not be opened yet');
    for (const check of all) if (!(await check.isWell())) throw new Error(`${check.name} is not well`);
    return true;
  };
  const isOneServed = async (): Promise<boolean> => {
    const tried = await Promise.allSettled(cells.map(serves));
    return tried.some((one) => one.status === 'fulfilled' && one.value);
  };
  return [
    { name: 'databases', isWell: isOneServed },
    ...cells.map((cell): HealthCheck => ({ name: cell.name, isWell: () => isWell(cell), isServing: true })),
  ];
}

async function serves({ checks }: CheckedCell): Promise<boolean> {
  const needed = checks().filter(({ isServing }) => isServing !== true);
  return needed.length > 0 && (await Promise.all(needed.map(async (check) => check.isWell()))).every(Boolean);
}
