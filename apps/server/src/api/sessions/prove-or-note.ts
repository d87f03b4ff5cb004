import type { AuditAction, AuditDeps } from '../../access/audit/audited-change.ts';
import { RefusedLogIn } from '../../access/accounts/refused-log-in.ts';
import { noteAudit, type Sender } from '../server/note-audit.ts';

/** Verifies a person's credentials. A refusal is recorded in the audit log, with its reason. */
export async function proveOrNote<Proof>(
  deps: AuditDeps,
  {
    sender,
    refused,
    prove,
  }: {
    readonly sender: Sender;
    readonly refused: () => Promise<AuditAction>;
    readonly prove: () => Promise<Proof>;
  },
): Promise<Proof> {
  try {
    return await prove();
  } catch (error) {
    if (error instanceof RefusedLogIn) {
      const { detail, ...action } = await refused();
      await noteAudit(deps, sender, { ...action, detail: { ...detail, why: error.code } });
    }
    throw error;
  }
}

/**
 * The same for a person with a session: an intruder at an unlocked browser could guess here.
 *
 * @param operation the operation that requires the proof
 */
export function proveAgainOrNote<Proof>(
  deps: AuditDeps,
  { sender, operation }: { readonly sender: Sender; readonly operation: string },
  prove: () => Promise<Proof>,
): Promise<Proof> {
  return proveOrNote(deps, {
    sender,
    refused: async () => ({ action: 'proof.refused', detail: { operation } }),
    prove,
  });
}
