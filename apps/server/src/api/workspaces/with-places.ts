import { homeOf, nameOfDatabase } from '../../platform/database/cell.ts';
import { readMoves } from '../../tenancy/move/read-moves.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import type { WorkspaceAnswer } from './workspace-schema.ts';

/**
 * Adds where each workspace lies, and its move under way. With one database there is nothing to say, and the answer is
 * the same as without.
 */
export async function withPlaces(
  deps: ManagementDeps,
  workspaces: readonly WorkspaceAnswer[],
): Promise<WorkspaceAnswer[]> {
  const { cells } = deps;
  if (cells === undefined) return [...workspaces];
  const moves = await readMoves(homeOf(deps));
  return workspaces.map((one) => {
    const move = moves.find(({ id }) => id === one.id);
    const database = nameOfDatabase(cells.ofWorkspace(one.id));
    if (move?.phase !== 'copying' && move?.phase !== 'closing' && move?.phase !== 'aborting') {
      return { ...one, database };
    }
    const { to, phase: state, percent } = move;
    return { ...one, database, move: { to, state, percent } };
  });
}
