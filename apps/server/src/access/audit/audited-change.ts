import { Problem, problems } from '@ringfence/contract';
import { homeOf, type OfCell } from '../../platform/database/cell.ts';
import { completeIntent, noteIntent, removeIntent, renewIntent } from './audit-intent.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import type { AuditHead, NewAuditEntry } from './audit-log.ts';

/** Who acts, and from where. */
export type AuditActor = Pick<NewAuditEntry, 'actorKind' | 'actor' | 'address' | 'requestId'>;

/** What is done. */
export type AuditAction = Pick<NewAuditEntry, 'action'> &
  Partial<Pick<NewAuditEntry, 'workspaceId' | 'target' | 'detail'>> & {
    /** The actor, if only the change finds out who it is: a log-in, for example. */
    readonly actor?: string;
  };

export interface AuditDeps extends OfCell {
  /** The one that seals the key of the log's signatures. */
  readonly master: MasterKeys;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export function auditEntry(atMs: number, by: AuditActor, what: AuditAction): NewAuditEntry {
  const { actorKind, address, requestId } = by;
  const { action, actor = by.actor, workspaceId, target, detail = {} } = what;
  return { atMs, workspaceId, actorKind, actor, action, target, address, requestId, detail };
}

interface AuditedChange {
  readonly by: AuditActor;
  /**
   * What is done, as far as it is known: read before the change, and again after it. `undefined` after the change:
   * nothing was changed, so there is no entry.
   */
  readonly action: () => AuditAction | undefined;
  /** Whether this error means that nothing was changed. By default: a problem of the caller. */
  readonly isRefusal?: (error: unknown) => boolean;
  /** Called with the end of the chain after the entry of a completed change. */
  readonly onEntry?: (head: AuditHead) => void;
}

/**
 * Makes a change and writes its audit entry, even if the process crashes in between: the intent is written first. A
 * refused change leaves no entry. A change that failed may be done in part, and its entry says so.
 */
export async function auditedChange<Result>(
  deps: AuditDeps,
  { by, action, isRefusal = isRefusedProblem, onEntry }: AuditedChange,
  make: () => Promise<Result>,
): Promise<Result> {
  const { master, now } = deps;
  const pool = homeOf(deps);
  const audit = { pool, master, now };
  const entry = (): NewAuditEntry | undefined => {
    const what = action();
    return what && auditEntry(now(), by, what);
  };
  const begun = entry();
  if (begun === undefined) return make();
  const intent = await noteIntent(pool, begun);
  const stop = renewIntent(pool, intent);
  try {
    const result = await make().catch(async (error: unknown) => {
      if (isRefusal(error)) await removeIntent(pool, intent);
      else await completeIntent(audit, intent, unfinished(entry() ?? begun));
      throw error;
    });
    const done = entry();
    if (done === undefined) await removeIntent(pool, intent);
    else {
      const head = await completeIntent(audit, intent, done);
      onEntry?.(head);
    }
    return result;
  } finally {
    stop();
  }
}

function unfinished(entry: NewAuditEntry): NewAuditEntry {
  return { ...entry, detail: { ...entry.detail, unfinished: true } };
}

/** Whether the error is a problem of the caller: any other failure may have come after the change. */
export function isRefusedProblem(error: unknown): boolean {
  return error instanceof Problem && problems[error.code].status < 500;
}
