import { minuteMs } from '@ringfence/contract';
import type { Configuration } from './configuration.ts';
import { firstStart, type FirstWorkspace } from './first-start.ts';
import { declaredHere, reconcile, type ReconcileReport } from './reconcile.ts';
import { WebhookCertificates } from './webhook-certificates.ts';
import type { Platform } from '../platform/open-platform.ts';
import { syncAllSettings } from '../tenancy/workspaces/settings-sync.ts';
import type { WorkspaceDeps } from '../tenancy/workspaces/workspace-deps.ts';

/**
 * How often settings and policies are compared with the log: a process that crashed may have stored a change without
 * appending its record.
 */
const agreeEveryMs = minuteMs;

/** What a start created and applied. */
export interface Declared {
  readonly first: readonly FirstWorkspace[];
  readonly declared: ReconcileReport;
}

export interface DeclareContext extends Platform {
  readonly configuration: Configuration;
  readonly allowPrivateWebhooks: WorkspaceDeps['allowPrivateWebhooks'];
}

/** Applies the file's workspaces, or creates those of a first start, and appends missing settings to the log. */
export async function declareWorkspaces(context: DeclareContext): Promise<Declared> {
  const { configuration, logger, stages, ...deps } = context;
  const declared = await reconcile(configuration, deps);
  const workspaces = await declaredHere(configuration.workspaces ?? [], deps);
  const webhooks = new WebhookCertificates({ ...deps, configuration: { ...configuration, workspaces }, logger });
  webhooks.start();
  stages.started('certificates of webhooks', () => webhooks.close());
  const first = await firstStart(configuration, deps);
  await syncAllSettings(deps);
  const onError = (error: unknown): void => logger.warn({ err: error }, 'a background query of the database failed');
  const agreeing = setInterval(() => void syncAllSettings(deps).catch(onError), agreeEveryMs);
  stages.started('agreement of log and settings', () => clearInterval(agreeing));
  return { first, declared };
}
