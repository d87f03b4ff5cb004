import { hostname } from 'node:os';
import type { NewAuditEntry } from '../access/audit/audit-log.ts';
import { isRefusedProblem, makeNoted } from '../access/audit/noted-change.ts';
import { ConfigurationError } from '../platform/shapes/mistakes.ts';
import { OperatorError } from '../platform/observability/operator-error.ts';
import { randomId } from '../platform/secrets/random-id.ts';
import type { WorkspaceDeps } from '../tenancy/workspaces/workspace-deps.ts';
import type { RunningChange } from './changing-commands.ts';
import { type CliIo, UsageError } from './cli-io.ts';
import { findWorkspace } from './find-workspace.ts';
import { operatingUser } from './operating-user.ts';

type Installation = Pick<WorkspaceDeps, 'pool' | 'master'>;

/** Longer lists of ids are cut off. */
const targetLengthMax = 500;

/**
 * Runs a command's work and writes its audit entry. The intent is stored first, as for changes through the management
 * API, so that a crash at any point still leaves an entry. A refused command changes nothing and leaves no entry.
 */
export async function noteChange<Result>(
  io: CliIo,
  { installation, change }: { readonly installation: Installation; readonly change: RunningChange },
  work: (note: (detail: NewAuditEntry['detail']) => void) => Promise<Result>,
): Promise<Result> {
  let detail: NewAuditEntry['detail'] = { command: change.words };
  const begun = await entryOf(io, installation, change);
  const entry = (): NewAuditEntry => ({ ...begun, detail });
  return makeNoted(installation.pool, { begun: entry(), done: entry, failed: entry, isRefusal }, () =>
    work((more) => {
      detail = { ...detail, ...more };
    }),
  );
}

async function entryOf(
  io: CliIo,
  installation: Installation,
  { action, target, workspace, args, workspaceGiven }: RunningChange,
): Promise<Omit<NewAuditEntry, 'detail'>> {
  const meant = workspace === 'argument' ? args[0] : workspaceGiven;
  const isOfOne = workspace !== undefined && (workspace !== 'optional' || meant !== undefined);
  const targets = target === undefined ? [] : target === 'first' ? args.slice(0, 1) : args;
  return {
    atMs: io.now(),
    workspaceId: isOfOne ? (await findWorkspace(installation, meant)).id : undefined,
    actorKind: 'person',
    actor: `os:${operatingUser(io)}`,
    action,
    target: targets.length === 0 ? undefined : targets.join(' ').slice(0, targetLengthMax),
    address: `command line of ${hostname()}`,
    requestId: `cli_${randomId(16)}`,
  };
}

/** These errors are thrown only before a change; any other error may have come after it. */
function isRefusal(error: unknown): boolean {
  if (error instanceof UsageError || error instanceof OperatorError || error instanceof ConfigurationError) return true;
  return isRefusedProblem(error);
}
