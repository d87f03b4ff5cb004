import type { Pool } from 'pg';
import type { EngineHost } from './engine-host.ts';
import type { HealthCheck } from '../platform/observability/health.ts';
import type { LogHealth } from '../platform/observability/log-health.ts';
import type { PostgresWorkspaceRegistry } from '../tenancy/workspaces/postgres-registry.ts';

/** Revocations act within 5 s; a process that has not looked for longer takes no more requests. */
const registryStaleMsMax = 10_000;

type Decider = Pick<EngineHost, 'checkMoving' | 'isReady' | 'isPaused' | 'isFailing'>;

/**
 * What must be well for this process to be of use, and what is shown beside it. `decider`: where this process decides; one that
 * only takes events says nothing of deciding.
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
    // Of one workspace: the others are served.
    { name: 'policies', isWell: () => !decider.isPaused(ids()), isServing: true },
    { name: 'hosts', isWell: () => !decider.isFailing(ids()), isServing: true },
  ];
}
