import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import {
  installationValues,
  opensAtItsPlace,
  type SealedDeps,
  type SealedValue,
  workspaceValues,
} from './sealed-values.ts';
import { type ChainExtent, verifyChain } from './verify-chain.ts';

/** What is not as it was written, and where. */
export interface Wrong {
  /** `table.column`, the kind of a record, or a part of the chain. */
  readonly kind: string;
  /** `undefined` if it belongs to the installation. */
  readonly workspace: string | undefined;
  readonly row: string;
}

export interface SealedVerdict {
  /** How many values were opened. */
  readonly values: number;
  /** Those sealed by an earlier release, which are bound to their kind, workspace and client only. */
  readonly before: number;
  /** How far the records of each workspace are chained. */
  readonly chains: readonly (ChainExtent & { readonly workspace: string })[];
  /** Workspaces without a chain: no checkpoint was written since the release that introduced it. */
  readonly unchained: readonly string[];
  /** What does not open where it is, or differs from the chain: moved, changed or cut. The first ones. */
  readonly wrong: readonly Wrong[];
  readonly wrongCount: number;
}

/** Named in the verdict; the others are counted. */
const namedMax = 100;

/** The version of values of an earlier release, their first byte. */
const versionBefore = 1;

/**
 * Opens every sealed value at its place, and compares records and stored states with their chain. What was sealed is not
 * returned.
 */
export async function verifySealed(deps: SealedDeps, workspaces: readonly Workspace[]): Promise<SealedVerdict> {
  const wrong: Wrong[] = [];
  const chains: (ChainExtent & { readonly workspace: string })[] = [];
  let [values, before, wrongCount] = [0, 0, 0];
  const note = ({ kind, workspace, row }: Wrong): void => {
    wrongCount += 1;
    if (wrong.length < namedMax) wrong.push({ kind, workspace, row });
  };
  const look = async (found: AsyncIterable<SealedValue>): Promise<void> => {
    for await (const value of found) {
      values += 1;
      if (value.sealed[0] === versionBefore) before += 1;
      if (!opensAtItsPlace(value)) note(value);
    }
  };
  await look(installationValues(deps));
  for (const workspace of workspaces) {
    await look(workspaceValues(deps, workspace));
    const { chain, differences } = await verifyChain(deps, workspace);
    for (const difference of differences) note({ ...difference, workspace: workspace.id });
    if (chain !== undefined) chains.push({ workspace: workspace.id, ...chain });
  }
  const chained = new Set(chains.map(({ workspace }) => workspace));
  const unchained = workspaces.flatMap(({ id }) => (chained.has(id) ? [] : [id]));
  return { values, before, chains, unchained, wrong, wrongCount };
}
