import { Problem, problems } from '@ringfence/contract';
import type { Pool } from 'pg';
import { completeIntent, noteIntent, removeIntent, renewIntent } from './audit-intent.ts';
import type { NewAuditEntry } from './audit-log.ts';

interface NotedChange<Result> {
  /** The entry of the intended change. */
  readonly begun: NewAuditEntry;
  /** The entry of the completed change; `undefined`: nothing was changed, so there is no entry. */
  readonly done: (result: Result) => NewAuditEntry | undefined | Promise<NewAuditEntry | undefined>;
  /** The entry of a change that failed; by default `begun`. */
  readonly failed?: () => NewAuditEntry;
  /** Whether this error means that nothing was changed. */
  readonly isRefusal: (error: unknown) => boolean;
}

/**
 * Makes a change and writes its audit entry, even if the process crashes in between: the intent is written first. A
 * refused change leaves no entry. A change that failed may be done in part, and its entry says so.
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

/** Whether the error is a problem of the caller: any other failure may have come after the change. */
export function isRefusedProblem(error: unknown): boolean {
  return error instanceof Problem && problems[error.code].status < 500;
}
