import type { ModelTree } from '../artifact.ts';
import type { Mistakes } from '../mistakes.ts';

/** A tree of a library. Its nodes have any numbers. */
export interface SourceTree {
  /** Where the tree is in the file. */
  readonly place: string;
  readonly root: number;
  /** Reads a node, and reports what is wrong with it. */
  readonly node: (index: number) => SourceNode;
}

export type SourceNode =
  | { readonly kind: 'leaf'; readonly value: number; readonly cover: number }
  | (SourceQuestion & { readonly kind: 'number'; readonly threshold: number })
  | (SourceQuestion & {
      readonly kind: 'category';
      /** Codes that go left, ascending. */ readonly codes: readonly number[];
    });

export interface SourceQuestion {
  readonly feature: number;
  readonly left: number;
  readonly right: number;
  readonly missingLeft: boolean;
  readonly cover: number;
}

/** More nodes than any tree of an artifact can have. */
const nodesMax = 1_000_000;

/** Numbers the nodes so that parents come before their children: a node, then what is left of it, then the right. */
export function buildTree(source: SourceTree, features: number, mistakes: Mistakes): ModelTree {
  const columns = { input: [], value: [], left: [], right: [], missingLeft: [], cover: [] } as Record<
    'input' | 'value' | 'left' | 'right' | 'missingLeft' | 'cover',
    number[]
  >;
  const categories: Record<number, readonly number[]> = {};
  const reached = new Set<number>();
  const open: { readonly index: number; readonly parent: number; readonly side: 'left' | 'right' }[] = [];
  open.push({ index: source.root, parent: -1, side: 'left' });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { index, parent, side } = next;
    if (reached.has(index)) mistakes.stop(source.place, `reaches node ${index} twice; expected a tree`);
    if (reached.size >= nodesMax) mistakes.stop(source.place, `has more than ${nodesMax} nodes`);
    reached.add(index);
    const at = columns.input.length;
    if (parent >= 0) columns[side][parent] = at;
    const node = source.node(index);
    const isLeaf = node.kind === 'leaf';
    if (!isLeaf && !(Number.isInteger(node.feature) && node.feature >= 0 && node.feature < features)) {
      mistakes.stop(source.place, `asks feature ${node.feature}; expected 0 to ${features - 1}`);
    }
    columns.input.push(isLeaf ? -1 : node.feature);
    columns.value.push(isLeaf ? node.value : node.kind === 'number' ? node.threshold : 0);
    columns.left.push(0);
    columns.right.push(0);
    columns.missingLeft.push(!isLeaf && node.missingLeft ? 1 : 0);
    columns.cover.push(node.cover);
    if (isLeaf) continue;
    if (node.kind === 'category') categories[at] = node.codes;
    open.push({ index: node.right, parent: at, side: 'right' }, { index: node.left, parent: at, side: 'left' });
  }
  return { ...columns, ...(Object.keys(categories).length > 0 && { categories }) };
}
