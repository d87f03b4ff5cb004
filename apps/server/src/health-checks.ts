import type { Pool } from 'pg';
import type { EngineHost } from './host/engine-host.ts';
import type { HealthCheck } from './operations/health.ts';
import type { LogHealth } from './operations/log-health.ts';
import type { PostgresWorkspaceRegistry } from './workspaces/postgres-registry.ts';

/** Revocations act within 5 s; a process that has not looked for longer takes no more requests. */
const registryStaleMsMax = 10_000;

/** What must be well for this process to be of use, and what is shown beside it. `decider`: where this process decides. */
export function healthChecks(of: {
  readonly pool: Pool;
  readonly registry: PostgresWorkspaceRegistry;
  readonly logHealth: LogHealth;
  readonly decider: EngineHost | undefined;
}): readonly HealthCheck[] {
  const { pool, registry, logHealth, decider } = of;
  const ids = (): readonly string[] => registry.all().map(({ id }) => id);
  return [
    { name: 'database', isWell: async () => (await pool.query('select 1')).rowCount === 1 },
    { name: 'workspaces', isWell: () => registry.staleMs() <= registryStaleMsMax },
    {
      name: 'engine',
      isWell: () => {
        decider?.checkMoving();
        return decider?.isReady(ids()) ?? true;
      },
    },
    { name: 'log', isWell: () => logHealth.isWell() },
    // Of one workspace: the others are served.
    { name: 'policies', isWell: () => decider?.isPaused(ids()) !== true, isServing: true },
    { name: 'hosts', isWell: () => decider?.isFailing(ids()) !== true, isServing: true },
  ];
}
