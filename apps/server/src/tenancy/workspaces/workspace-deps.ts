import type { AllowedRange } from '@ringfence/delivery';
import type { EventLog } from '@ringfence/log';
import type { OfCell } from '../../platform/database/cell.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';

/** Dependencies for changing workspaces: the database, the master keys that encrypt their secrets, and the log. */
export interface WorkspaceDeps extends OfCell {
  readonly master: MasterKeys;
  readonly log: Pick<EventLog, 'appendWith' | 'createPartition'>;
  /** The operator's ranges of private addresses that webhooks may be sent to. */
  readonly allowPrivateWebhooks: readonly AllowedRange[];
}
