import { Problem } from '@ringfence/contract';
import type { Type } from 'typebox';
import { commentPlace, type StoredHold } from '../../holds/stored-holds.ts';
import { openUndamaged } from '../../platform/secrets/seal.ts';
import { activePolicy } from '../../policies/directives/active-policy.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { clientNames } from '../clients/client-names.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { type HoldContext, type holdSchema, printHold } from './hold-schema.ts';

type PrintDeps = Pick<ManagementDeps, 'pool' | 'subjects' | 'events'>;

export async function printHolds(
  deps: PrintDeps,
  workspace: Workspace,
  holds: readonly StoredHold[],
): Promise<readonly Type.Static<typeof holdSchema>[]> {
  if (holds.length === 0) return [];
  const contextOf = await holdContexts(deps, workspace, holds);
  return holds.map((hold) => printHold(hold, contextOf(hold)));
}

export async function holdContexts(
  deps: PrintDeps,
  workspace: Workspace,
  holds: readonly StoredHold[],
): Promise<(hold: StoredHold) => HoldContext> {
  const subjects = [...new Set(holds.map(({ subject }) => subject))];
  const [names, keys, rules] = await Promise.all([
    clientNames(deps, workspace, subjects),
    deps.subjects.bySubject(workspace, subjects),
    ruleNames(deps, workspace),
  ]);
  return (hold) => {
    const { subject, reason } = hold;
    const key = keys.get(subject);
    return {
      workspace,
      client: names.get(subject),
      rule: rules.get(reason),
      openComment: (decision) =>
        key &&
        decision.comment &&
        openUndamaged(key, decision.comment, commentPlace(workspace.id, hold, decision))?.toString(),
    };
  };
}

/** Empty if this release refuses the active policy: holds are shown nevertheless. */
async function ruleNames(
  { pool }: Pick<PrintDeps, 'pool'>,
  workspace: Workspace,
): Promise<ReadonlyMap<number, string>> {
  try {
    const rules = (await activePolicy(pool, workspace))?.rules ?? [];
    return new Map(rules.map(({ reason, name }) => [reason, name]));
  } catch (error) {
    if (error instanceof Problem && error.code === 'policy.invalid') return new Map();
    throw error;
  }
}
