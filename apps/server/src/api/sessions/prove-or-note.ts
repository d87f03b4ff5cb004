import { RefusedLogIn } from '../../access/accounts/refused-log-in.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { type Deed, type Doer, noteAudit } from '../server/note-audit.ts';

/** Verifies a person's credentials. A refusal is recorded in the audit log, with its reason. */
export async function proveOrNote<Proof>(
  deps: Pick<ManagementDeps, 'pool' | 'now'>,
  {
    doer,
    deed,
    prove,
  }: { readonly doer: Doer; readonly deed: () => Promise<Deed>; readonly prove: () => Promise<Proof> },
): Promise<Proof> {
  try {
    return await prove();
  } catch (error) {
    if (error instanceof RefusedLogIn) {
      const { detail, ...refused } = await deed();
      await noteAudit(deps, doer, { ...refused, detail: { ...detail, why: error.code } });
    }
    throw error;
  }
}

/**
 * The same for a person with a session: somebody who found an unlocked browser could guess here.
 *
 * @param operation the operation that requires the proof
 */
export function proveAgainOrNote<Proof>(
  deps: Pick<ManagementDeps, 'pool' | 'now'>,
  { doer, operation }: { readonly doer: Doer; readonly operation: string },
  prove: () => Promise<Proof>,
): Promise<Proof> {
  return proveOrNote(deps, { doer, deed: async () => ({ action: 'proof.refused', detail: { operation } }), prove });
}
