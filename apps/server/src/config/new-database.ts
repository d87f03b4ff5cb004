import { hasEmbeddedPostgres } from '../platform/database/embedded-postgres.ts';
import { OperatorError } from '../platform/observability/operator-error.ts';
import type { Configuration } from './configuration.ts';
import { labelOf } from './reconcile.ts';

type Asked = Pick<Configuration, 'asksForEmbedded' | 'databaseUrl' | 'home' | 'workspaces'>;

/**
 * Refuses to create an empty embedded database for a declared live workspace, unless the file asks for it: most likely
 * `DATABASE_URL` or `home` was lost, and a bank would be decided without its history.
 *
 * @throws OperatorError
 */
export async function refuseUnaskedDatabase({ asksForEmbedded, databaseUrl, home, workspaces }: Asked): Promise<void> {
  const live = workspaces?.find(({ definition }) => definition.settings.deliver === 'live');
  if (asksForEmbedded || databaseUrl !== undefined || live === undefined) return;
  if (await hasEmbeddedPostgres(home)) return;
  throw new OperatorError(
    `There is no database under ${home} yet, and ${labelOf(live)} has deliver: live.`,
    'Set DATABASE_URL, or the home of the existing installation. For a new, empty database write "database: embedded" in the file.',
  );
}
