import { minuteMs } from '@ringfence/contract';
import type { Logger } from 'pino';
import type { Configuration } from './configuration.ts';
import { firstStart, type FirstWorkspace } from './first-start.ts';
import { ensureDeviceKeys } from './ensure-device-keys.ts';
import { reconcile, type ReconcileReport } from './reconcile.ts';
import { WebhookCertificates } from './webhook-certificates.ts';
import type { Stages } from '../platform/stages.ts';
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

interface Declaring extends WorkspaceDeps {
  readonly configuration: Configuration;
  readonly now: () => number;
  readonly logger: Logger;
  readonly onError: (error: unknown) => void;
}

/** Applies the file's workspaces, or creates those of a first start, and appends missing settings to the log. */
export async function declareWorkspaces(parts: Declaring, stages: Stages): Promise<Declared> {
  const { configuration, logger, onError, ...deps } = parts;
  const declared = await reconcile(configuration, deps);
  const webhooks = new WebhookCertificates({ ...deps, configuration, logger });
  webhooks.start();
  stages.started('certificates of webhooks', () => webhooks.close());
  const first = await firstStart(configuration, deps);
  for (const workspace of await ensureDeviceKeys(deps)) logger.info({ workspace }, 'created the first device key');
  await syncAllSettings(deps);
  const agreeing = setInterval(() => void syncAllSettings(deps).catch(onError), agreeEveryMs);
  stages.started('agreement of log and settings', () => clearInterval(agreeing));
  return { first, declared };
}
