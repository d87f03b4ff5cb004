import type { ThreadPlatform } from '../platform/open-platform.ts';
import { AdoptionKeys } from './subjects/adoption.ts';
import { PostgresSubjectKeys } from './subjects/postgres-subject-keys.ts';
import { PostgresWorkspaceRegistry, type RegistryOptions } from './workspaces/postgres-registry.ts';

export interface Tenancy {
  readonly registry: PostgresWorkspaceRegistry;
  readonly subjects: PostgresSubjectKeys;
}

/**
 * The workspaces and the keys of their clients, kept up to date by the database's notifications.
 *
 * @param refreshOthers the same in other threads of this process
 */
export async function openTenancy(
  { pool, master, log, logger, now, stages }: ThreadPlatform,
  refreshOthers?: RegistryOptions['refreshOthers'],
): Promise<Tenancy> {
  const onError = (error: unknown): void => logger.warn({ err: error }, 'a background query of the database failed');
  const registry = new PostgresWorkspaceRegistry({
    pool,
    master,
    now,
    onError,
    ...(refreshOthers && { refreshOthers }),
  });
  await registry.start(log.notifications);
  stages.started('registry', () => registry.close());
  const adoption = log.putsIntoStore ? new AdoptionKeys({ pool, now, onError }) : undefined;
  await adoption?.start();
  stages.started('adoption keys', () => adoption?.close());
  const subjects = new PostgresSubjectKeys({ pool, log, onError, ...(adoption && { adoption }) });
  await subjects.start(log.notifications);
  stages.started('subjects', () => subjects.close());
  return { registry, subjects };
}
