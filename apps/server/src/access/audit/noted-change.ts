import { Problem, problems } from '@ringfence/contract';
import type { Pool } from 'pg';
import { completeIntent, noteIntent, removeIntent, renewIntent } from './audit-intent.ts';
import type { NewAuditEntry } from './audit-log.ts';

interface NotedChange<Result> {
  /** What is about to be done. */
  readonly begun: NewAuditEntry;
  /** Its entry when it is done; `undefined`: it changed nothing, and has none. */
  readonly done: (result: Result) => NewAuditEntry | undefined | Promise<NewAuditEntry | undefined>;
  /** Its entry when it failed on the way; left out: as it was begun. */
  readonly failed?: () => NewAuditEntry;
  /** Whether whoever is told so knows that nothing was changed. */
  readonly isRefusal: (error: unknown) => boolean;
}

/**
 * Makes a change that has its entry in the audit log, wherever the process ends: what is to be done is noted before.
 * What is refused leaves none. What failed on the way may be done in part, and its entry says so.
 */
export async function makeNoted<Result>(
  pool: Pool,
  change: NotedChange<Result>,
  make: () => Promise<Result>,
): Promise<Result> {
  const intent = await noteIntent(pool, change.begun);
  const stop = renewIntent(pool, intent);
  try {
    return await makeWithNote(pool, { ...change, intent }, make);
  } finally {
    stop();
  }
}

async function makeWithNote<Result>(
  pool: Pool,
  { begun, done, failed = () => begun, isRefusal, intent }: NotedChange<Result> & { readonly intent: number },
  make: () => Promise<Result>,
): Promise<Result> {
  let result: Result;
  try {
    result = await make();
  } catch (error) {
    if (isRefusal(error)) {
      await removeIntent(pool, intent);
    } else {
      const entry = failed();
      await completeIntent(pool, intent, { ...entry, detail: { ...entry.detail, unfinished: true } });
    }
    throw error;
  }
  const entry = await done(result);
  if (entry === undefined) await removeIntent(pool, intent);
  else await completeIntent(pool, intent, entry);
  return result;
}

/** A problem of the caller's: any other failure may have come after the change. */
export function isRefusedProblem(error: unknown): boolean {
  return error instanceof Problem && problems[error.code].status < 500;
}
