import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import {
  installationValues,
  opensAtItsPlace,
  type SealedDeps,
  type SealedValue,
  workspaceValues,
} from './sealed-values.ts';

export interface SealedVerdict {
  /** How many values were opened. */
  readonly values: number;
  /** Those sealed by an earlier release, which are bound to their kind, workspace and client only. */
  readonly before: number;
  /** What does not open where it is: moved, changed or cut. The first ones. */
  readonly wrong: readonly Pick<SealedValue, 'kind' | 'workspace' | 'row'>[];
  readonly wrongCount: number;
}

/** Named in the verdict; the others are counted. */
const namedMax = 100;

/** The version of values of an earlier release, their first byte. */
const versionBefore = 1;

/** Opens every sealed value at its place. What it was sealed from is not returned. */
export async function verifySealed(deps: SealedDeps, workspaces: readonly Workspace[]): Promise<SealedVerdict> {
  const wrong: SealedVerdict['wrong'][number][] = [];
  let [values, before, wrongCount] = [0, 0, 0];
  const look = async (found: AsyncIterable<SealedValue>): Promise<void> => {
    for await (const value of found) {
      values += 1;
      if (value.sealed[0] === versionBefore) before += 1;
      if (opensAtItsPlace(value)) continue;
      wrongCount += 1;
      const { kind, workspace, row } = value;
      if (wrong.length < namedMax) wrong.push({ kind, workspace, row });
    }
  };
  await look(installationValues(deps));
  for (const workspace of workspaces) await look(workspaceValues(deps, workspace));
  return { values, before, wrong, wrongCount };
}
