import type { PolicyFile } from '@ringfence/policy';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

const benchFolder = fileURLToPath(new URL('../../policies', import.meta.url));
const starterFolder = fileURLToPath(new URL('../../../apps/server/policies/starter', import.meta.url));

/** Category of the operations for which the latency benchmark requests an action. */
export const markedCategory = 'benchmark-marked';
/** Its `reason`: not used by the starter policy. */
export const markedReason = 990_001;

const markedRule = `rules:
  - reason: ${markedReason}
    name: A marked operation of the benchmark
    on: [operation]
    when: transaction.category == "${markedCategory}"
    then: { action: 6, message: "{{transaction.reference}}" }
    mode: live
`;

/** The starter policy and one more rule, which fires only for marked operations. */
export async function benchPolicy(): Promise<Readonly<Record<string, string>>> {
  const files = await starterPolicyFiles();
  return { ...Object.fromEntries(files.map(({ path, text }) => [path, text])), 'benchmark.yaml': markedRule };
}

/** The starter policy as shipped. */
export function starterPolicyFiles(): Promise<readonly PolicyFile[]> {
  return filesIn(starterFolder);
}

/** A policy of the benchmarks, by the name of its folder. */
export function policyFiles(name: string): Promise<readonly PolicyFile[]> {
  return filesIn(join(benchFolder, name));
}

async function filesIn(folder: string): Promise<readonly PolicyFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
  return Promise.all(names.map(async (path) => ({ path, text: await readFile(join(folder, path), 'utf8') })));
}
