import { newCheck } from '../document/check.ts';
import { readFile } from '../document/read-file.ts';
import type { PolicyFile } from '../policy.ts';
import { packBounds, readUse } from '../sections/read-packs.ts';

/** The path of a pack's file among the files of a policy. */
export function packPath(name: string): string {
  return `packs/${name}.yaml`;
}

/**
 * The files of a policy together with those of the packs that it uses: this is what is checked, stored and replayed. A
 * pack that is already among them is kept, so that a stored version means the same after an upgrade.
 *
 * @param textOf returns the text of a pack; an unknown name is left for the check to report
 */
export function withPacks(
  files: readonly PolicyFile[],
  textOf: (name: string) => string | undefined,
): readonly PolicyFile[] {
  const paths = new Set(files.map(({ path }) => path));
  const added = new Map<string, PolicyFile>();
  for (const name of packsUsed(files)) {
    const path = packPath(name);
    const text = paths.has(path) ? undefined : textOf(name);
    if (text !== undefined) added.set(path, { path, text });
  }
  return added.size === 0 ? files : [...files, ...added.values()];
}

/** Names under `use` in all files. Mistakes are reported when the policy is checked. */
function packsUsed(files: readonly PolicyFile[]): readonly string[] {
  const ignored = newCheck();
  return files
    .filter(({ text }) => /^use:/m.test(text))
    .flatMap((file) => readFile(file, ignored)?.use?.list('use', packBounds.packs) ?? [])
    .flatMap((item) => readUse(item)?.name ?? []);
}
