import { Problem } from '@ringfence/contract';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { readPolicyFiles } from './policy-store.ts';
import type { PolicyWork } from './policy-work.ts';

/** Pairs of versions, which never change. */
const keptMax = 1_000;
const kept = new LRUCache<string, readonly number[]>({ max: keptMax });

/** The rules that differ between two stored versions; none if this release refuses one of them. */
export async function changedRules(
  { pool, work }: { readonly pool: Pool; readonly work: PolicyWork },
  workspaceId: string,
  { before, after }: { readonly before: number; readonly after: number },
): Promise<readonly number[]> {
  const key = `${workspaceId}.${before}.${after}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  try {
    const [was, is] = [
      await readPolicyFiles(pool, workspaceId, before),
      await readPolicyFiles(pool, workspaceId, after),
    ];
    const changes = await work({ kind: 'diff', before: was, after: is });
    const found = new Set(changes.flatMap(({ of }) => (of.startsWith('rule ') ? [Number(of.slice(5))] : [])));
    const rules = [...found].toSorted((a, b) => a - b);
    kept.set(key, rules);
    return rules;
  } catch (error) {
    if (error instanceof Problem && error.code === 'policy.invalid') return [];
    throw error;
  }
}
