import type { Pool } from 'pg';
import type { EngineHost } from './engine-host.ts';
import type { HealthCheck } from '../platform/observability/health.ts';
import type { LogHealth } from '../platform/observability/log-health.ts';
import type { PostgresWorkspaceRegistry } from '../tenancy/workspaces/postgres-registry.ts';

/** Revocations take effect within 5 s; a process that has not read the registry for longer than this is not ready. */
const registryStaleMsMax = 10_000;

type Decider = Pick<EngineHost, 'checkMoving' | 'isReady' | 'isPaused' | 'isFailing'>;

/**
 * The checks that this process must pass to be ready, and those that are only shown. `decider`: `undefined` for a
 * process that only accepts events, which has no checks of the engine.
 */
export function healthChecks(of: {
  readonly pool: Pick<Pool, 'query'>;
  readonly registry: Pick<PostgresWorkspaceRegistry, 'all' | 'staleMs'>;
  readonly logHealth: Pick<LogHealth, 'isWell'>;
  readonly decider: Decider | undefined;
}): readonly HealthCheck[] {
  const { pool, registry, logHealth, decider } = of;
  const ids = (): readonly string[] => registry.all().map(({ id }) => id);
  return [
    { name: 'database', isWell: async () => (await pool.query('select 1')).rowCount === 1 },
    { name: 'workspaces', isWell: () => registry.staleMs() <= registryStaleMsMax },
    { name: 'log', isWell: () => logHealth.isWell() },
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
