import { hostname } from 'node:os';
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ClientBase, Pool } from 'pg';
import { appendAuditIn } from '../access/audit/audit-log.ts';
import { type AuditAction, type AuditActor, auditedChange, auditEntry } from '../access/audit/audited-change.ts';
import { randomId } from '../platform/secrets/random-id.ts';
import { type LicenseKey, listLicenseKeys } from '../tenancy/workspaces/license-keys.ts';
import { publicWorkspace } from '../tenancy/workspaces/public-settings.ts';
import { inTransaction } from '../platform/database/transactions.ts';
import type { WorkspaceDeps } from '../tenancy/workspaces/workspace-deps.ts';
import { lockWorkspace } from '../tenancy/workspaces/workspace-store.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';

interface StartAuditDeps extends Pick<WorkspaceDeps, 'pool' | 'cell' | 'master'> {
  /** The cause of the changes: the configuration file, or the first start of an empty installation. */
  readonly origin: { readonly file: string } | 'first start';
  readonly now: () => number;
}

/**
 * Records in the audit log what a start changes, under the operation ids of the management API. Only actual differences
 * are recorded: a file that was already applied adds no entry.
 */
export class StartAudit {
  readonly #deps: StartAuditDeps;
  readonly #pool: Pool;
  /** Shared by all entries of one start. */
  readonly #by: AuditActor;

  constructor(deps: StartAuditDeps) {
    this.#deps = deps;
    this.#pool = deps.pool;
    this.#by = {
      actorKind: 'machine',
      actor: typeof deps.origin === 'object' ? `file:${basename(deps.origin.file)}` : deps.origin,
      address: `start on ${hostname()}`,
      requestId: `start_${randomId(16)}`,
    };
  }

  /** Locks and changes a workspace, and records the differences: in the home database in the same transaction. */
  change<Result>(workspaceId: string, work: (client: ClientBase) => Promise<Result>): Promise<Result> {
    return inTransaction(this.#pool, async (client) => {
      const before = await this.#read(client, workspaceId);
      const result = await work(client);
      const actions = differences(before, await this.#read(client, workspaceId));
      const { cell } = this.#deps;
      // Committed before the change: the log may have an entry of a change that failed, and lacks none.
      if (cell === undefined) await this.#append(client, actions);
      else await inTransaction(cell.home, (home) => this.#append(home, actions));
      return result;
    });
  }

  async #append(client: ClientBase, actions: readonly AuditAction[]): Promise<void> {
    for (const action of actions) {
      await appendAuditIn(client, this.#deps.master, auditEntry(this.#deps.now(), this.#by, this.#withFile(action)));
    }
  }

  /** A change of more than one transaction. `done` returns the entry to record; `undefined`: nothing changed. */
  make<Result>(
    begun: AuditAction,
    done: (result: Result) => AuditAction | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    let action: AuditAction | undefined = begun;
    const change = { by: this.#by, action: () => action && this.#withFile(action) };
    return auditedChange(this.#deps, change, async () => {
      const result = await work();
      action = done(result);
      return result;
    });
  }

  async #read(client: ClientBase, id: string): Promise<Seen> {
    return { workspace: await lockWorkspace(client, id, this.#deps), keys: await listLicenseKeys(client, id) };
  }

  #withFile(action: AuditAction): AuditAction {
    const { origin } = this.#deps;
    return typeof origin === 'object' ? { ...action, detail: { file: origin.file, ...action.detail } } : action;
  }
}

interface Seen {
  readonly workspace: Workspace;
  readonly keys: readonly LicenseKey[];
}

function differences(before: Seen, after: Seen): readonly AuditAction[] {
  const workspaceId = after.workspace.id;
  const detail = { before: publicWorkspace(before.workspace), after: publicWorkspace(after.workspace) };
  const isSame = isDeepStrictEqual(declarable(before.workspace), declarable(after.workspace));
  const ofKeys = after.keys.flatMap(({ id, hint, state }) => {
    const was = before.keys.find((key) => key.id === id)?.state;
    const actions = was === undefined ? ['createKey'] : [];
    if (state === 'sent' && was !== 'sent') actions.push('promoteKey');
    if (state === 'revoked' && was !== 'revoked') actions.push('revokeKey');
    return actions.map((action) => ({ action, workspaceId, target: id, detail: { hint } }));
  });
  const ofWorkspace = isSame ? [] : [{ action: 'changeWorkspace', workspaceId, detail }];
  return [...ofWorkspace, ...ofKeys];
}

/** The declarable parts of a workspace, with hidden values: a new private key is a change, too. */
function declarable({ owners, settings, channels }: Workspace): Pick<Workspace, 'owners' | 'settings' | 'channels'> {
  return { owners, settings, channels };
}
