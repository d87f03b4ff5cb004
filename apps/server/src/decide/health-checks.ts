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
