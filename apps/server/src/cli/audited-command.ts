import { hostname } from 'node:os';
import { type AuditAction, auditedChange, isRefusedProblem } from '../access/audit/audited-change.ts';
import { ConfigurationError } from '../platform/shapes/mistakes.ts';
import { OperatorError } from '../platform/observability/operator-error.ts';
import { randomId } from '../platform/secrets/random-id.ts';
import type { WorkspaceDeps } from '../tenancy/workspaces/workspace-deps.ts';
import type { RunningChange } from './changing-commands.ts';
import { type CliIo, UsageError } from './cli-io.ts';
import { locateWorkspace } from './find-workspace.ts';
import { operatingUser } from './operating-user.ts';

type Installation = Pick<WorkspaceDeps, 'pool' | 'master'>;

/** Longer lists of ids are cut off. */
const targetLengthMax = 500;

/** Runs a command's work and writes its audit entry, with what the work notes. */
export async function auditedCommand<Result>(
  io: CliIo,
  { installation, change }: { readonly installation: Installation; readonly change: RunningChange },
  work: (note: (detail: NonNullable<AuditAction['detail']>) => void) => Promise<Result>,
): Promise<Result> {
  const begun = await actionOf(installation, change);
  let detail: NonNullable<AuditAction['detail']> = { command: change.words };
  const by = {
    actorKind: 'person',
    actor: `os:${operatingUser(io)}`,
    address: `command line of ${hostname()}`,
    requestId: `cli_${randomId(16)}`,
  } as const;
  return auditedChange(
    { pool: installation.pool, master: installation.master, now: () => io.now() },
    { by, action: () => ({ ...begun, detail }), isRefusal },
    () =>
      work((more) => {
        detail = { ...detail, ...more };
      }),
  );
}

async function actionOf(
  installation: Installation,
  { action, target, workspace, args, workspaceGiven }: RunningChange,
): Promise<AuditAction> {
  const meant = workspace === 'argument' ? args[0] : workspaceGiven;
  const isOfOne = workspace !== undefined && (workspace !== 'optional' || meant !== undefined);
  const targets = target === undefined ? [] : target === 'first' ? args.slice(0, 1) : args;
  return {
    action,
    ...(isOfOne ? { workspaceId: (await locateWorkspace(installation, meant)).id } : {}),
    ...(targets.length === 0 ? {} : { target: targets.join(' ').slice(0, targetLengthMax) }),
  };
}

/** These errors are thrown only before a change; any other error may have come after it. */
function isRefusal(error: unknown): boolean {
  if (error instanceof UsageError || error instanceof OperatorError || error instanceof ConfigurationError) return true;
  return isRefusedProblem(error);
}
