import type { AllowedRange } from '@ringfence/delivery';
import type { EventLog } from '@ringfence/log';
import type { Pool } from 'pg';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';

/** Dependencies for changing workspaces: the database, the master keys that encrypt their secrets, and the log. */
export interface WorkspaceDeps {
  readonly pool: Pool;
  readonly master: MasterKeys;
  readonly log: Pick<EventLog, 'appendWith' | 'createPartition'>;
  /** The operator's ranges of private addresses that webhooks may be sent to. */
  readonly allowPrivateWebhooks: readonly AllowedRange[];
}
