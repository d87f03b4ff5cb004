import type { ModelArtifact, ModelTree } from '../src/artifact.ts';

/** The inputs as the artifact describes them: rounded, with zeros replaced. */
export function naiveInputs({ inputs, precision, zeroBand = 0 }: ModelArtifact, given: Float64Array): Float64Array {
  return Float64Array.from(inputs, ({ zeroIsMissing }, at) => {
    const value = precision === 'single' ? Math.fround(given[at]!) : given[at]!;
    if (Math.abs(value) > zeroBand || Number.isNaN(value)) return value;
    return zeroIsMissing === true ? NaN : 0;
  });
}

interface AskedNode {
  readonly artifact: ModelArtifact;
  readonly tree: ModelTree;
  readonly node: number;
}

/** Whether a node sends a value left, written as the artifact describes it. */
export function goesLeft({ artifact, tree, node }: AskedNode, value: number): boolean {
  if (Number.isNaN(value)) return tree.missingLeft[node] === 1;
  const positions = tree.categories?.[node];
  if (positions !== undefined) return value >= 0 && positions.includes(Math.trunc(value));
  return artifact.comparison === '<' ? value < tree.value[node]! : value <= tree.value[node]!;
}

/** The margin by a recursive walk over the artifact. */
export function naiveMargin(artifact: ModelArtifact, given: Float64Array): number {
  const round = artifact.precision === 'single' ? Math.fround : (value: number): number => value;
  const values = naiveInputs(artifact, given);
  const walk = (tree: ModelTree, node: number): number => {
    const input = tree.input[node]!;
    if (input === -1) return tree.value[node]!;
    return walk(tree, (goesLeft({ artifact, tree, node }, values[input]!) ? tree.left : tree.right)[node]!);
  };
  let sum = round(artifact.base);
  for (const tree of artifact.trees) sum = round(sum + walk(tree, 0));
  return round(round(sum / (artifact.divisor ?? 1)) * (artifact.slope ?? 1));
}
