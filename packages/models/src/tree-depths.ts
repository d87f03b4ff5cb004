import type { ModelArtifact, ModelTree } from './artifact.ts';

/** The number of questions on the longest way from the root to a leaf; 0 for a tree that is one leaf. */
export function depthOf(tree: ModelTree): number {
  const depths = new Int32Array(tree.input.length);
  let deepest = 0;
  for (let node = 0; node < tree.input.length; node++) {
    if (tree.input[node] === -1) continue;
    const below = depths[node]! + 1;
    depths[tree.left[node]!] = below;
    depths[tree.right[node]!] = below;
    if (below > deepest) deepest = below;
  }
  return deepest;
}

/** The bound of steps of one evaluation: the depths of all trees together, where a tree without a question counts 1. */
export function costOf(artifact: ModelArtifact): number {
  return artifact.trees.reduce((sum, tree) => sum + Math.max(depthOf(tree), 1), 0);
}
