import type { ModelTree } from '../../src/artifact.ts';
import type { BoostedTrees } from '../../src/training/boost.ts';

/** The nodes that a row passes, from the root to its leaf: the obvious reading of a tree. */
export function pathOf(tree: ModelTree, values: readonly number[]): readonly number[] {
  const path = [0];
  for (let node = 0; tree.input[node] !== -1; path.push(node)) {
    node = goesLeft(tree, node, values[tree.input[node]!]!) ? tree.left[node]! : tree.right[node]!;
  }
  return path;
}

function goesLeft(tree: ModelTree, node: number, value: number): boolean {
  if (Number.isNaN(value)) return tree.missingLeft[node] === 1;
  return tree.categories?.[node]?.includes(value) ?? value <= tree.value[node]!;
}

export function marginOf({ base, trees }: BoostedTrees, values: readonly number[]): number {
  let margin = base;
  for (const tree of trees) margin += tree.value[pathOf(tree, values).at(-1)!]!;
  return margin;
}
