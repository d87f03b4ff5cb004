import type { Pool } from 'pg';
import { behindFence, type Fence } from '../../platform/database/transactions.ts';
import type { LineLogger } from '../../platform/observability/thread-logger.ts';
import type { PostgresEntityStates } from '../entity-states/postgres-entity-states.ts';
import { cutChain, readLastRow } from './chain-rows.ts';
import { noteChanges } from './noticed-changes.ts';
import { linkBytes, RecordChain } from './record-chain.ts';

export interface Resuming {
  readonly pool: Pool;
  readonly fence: Fence;
  readonly states: PostgresEntityStates;
  readonly logger: LineLogger;
}

const changedMessage = 'the database was changed outside of the service since the last checkpoint';

/**
 * Continues the chain of a workspace at its checkpoint, or begins one. What is not as the last checkpoint left it is noted
 * and logged, and the chain begins again.
 *
 * @param offset of the checkpoint; 0 for none
 */
export async function resumeChain(by: Resuming, offset: number): Promise<RecordChain> {
  const { pool, fence, states, logger } = by;
  const sealed = await states.readSeal(pool);
  const last = await readLastRow(pool, states.chainOf);
  if (sealed === undefined && last === undefined) return new RecordChain(offset);
  const changed: string[] = [];
  if (sealed?.isWhole !== true || sealed.nextOffset !== offset) changed.push('the state of the checkpoint');
  const isAtEnd = last === undefined ? sealed?.chainFrom === offset : last.isWhole && last.endOffset === offset;
  if (!isAtEnd) changed.push('the end of the chain of records');
  if (changed.length === 0) {
    const before = last && { since: sealed!.chainFrom, link: last.links.subarray(-linkBytes) };
    return new RecordChain(offset, before);
  }
  const { workspaceId } = states.chainOf;
  await behindFence(pool, fence, async (client) => {
    await noteChanges(client, workspaceId, { offset, whats: changed });
    await cutChain(client, workspaceId, offset);
  });
  logger.error({ workspace: workspaceId, offset, changed }, changedMessage);
  return new RecordChain(offset);
}
