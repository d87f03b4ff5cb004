import { Problem, problems } from '@ringfence/contract';
import { completeIntent, noteIntent, removeIntent } from '../audit/audit-intent.ts';
import type { ManagementDeps } from './management-deps.ts';
import { auditEntry, type Deed, type Doer } from './note-audit.ts';

/**
 * Makes a change that has its entry in the audit log, wherever the process ends: what is to be done is noted before.
 * What is refused leaves none. What failed on the way may be done in part, and its entry says so.
 */
export async function auditedChange<Answer>(
  { pool, now }: Pick<ManagementDeps, 'pool' | 'now'>,
  { exchange, deed }: { readonly exchange: Doer; readonly deed: () => Promise<Deed> },
  act: () => Answer | Promise<Answer>,
): Promise<Awaited<Answer>> {
  const before = auditEntry(now(), exchange, await deed());
  const intent = await noteIntent(pool, before);
  let answered: Awaited<Answer>;
  try {
    answered = await act();
  } catch (error) {
    if (isRefusal(error)) await removeIntent(pool, intent);
    else await completeIntent(pool, intent, { ...before, detail: { ...before.detail, unfinished: true } });
    throw error;
  }
  await completeIntent(pool, intent, auditEntry(now(), exchange, await deed()));
  return answered;
}

/** Whoever is told so knows that nothing was changed; any other failure may have come after the change. */
function isRefusal(error: unknown): boolean {
  return error instanceof Problem && problems[error.code].status < 500;
}
