import { minuteMs } from '@ringfence/contract';
import type { Logger } from 'pino';
import type { Configuration } from './configuration.ts';
import { firstStart, type FirstWorkspace } from './first-start.ts';
import { mendDeviceKeys } from './ensure-device-keys.ts';
import { reconcile, type ReconcileReport } from './reconcile.ts';
import { WebhookCertificates } from './webhook-certificates.ts';
import type { Stages } from '../platform/stages.ts';
import { agreeAll } from '../tenancy/workspaces/settings-sync.ts';
import type { WorkspaceDeps } from '../tenancy/workspaces/workspace-deps.ts';

/** What a process that died left out of the log (a setting, a policy) is appended by whoever looks next. */
const agreeEveryMs = minuteMs;

/** What a start made and applied. */
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

/** Workspaces as the file has them, or those of a first start; what is set of them is brought to the log. */
export async function declareWorkspaces(parts: Declaring, stages: Stages): Promise<Declared> {
  const { configuration, logger, onError, ...deps } = parts;
  const declared = await reconcile(configuration, deps);
  const webhooks = new WebhookCertificates({ ...deps, configuration, logger });
  webhooks.start();
  stages.started('certificates of webhooks', () => webhooks.close());
  const first = await firstStart(configuration, deps);
  for (const workspace of await mendDeviceKeys(deps)) logger.info({ workspace }, 'its first device key was made');
  await agreeAll(deps);
  const agreeing = setInterval(() => void agreeAll(deps).catch(onError), agreeEveryMs);
  stages.started('agreement of log and settings', () => clearInterval(agreeing));
  return { first, declared };
}
