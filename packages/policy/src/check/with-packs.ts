import { newCheck } from '../document/check.ts';
import { readFile } from '../document/read-file.ts';
import type { PolicyFile } from '../policy.ts';
import { packBounds, readUse } from '../sections/read-packs.ts';

/** Where the file of a pack stands among the files of a policy. */
export function packPath(name: string): string {
  return `packs/${name}.yaml`;
}

/**
 * The files of a policy with those of the packs that it uses: what is checked, stored and replayed. A pack that is among
 * them already stays as it is, so that a stored version means the same after an upgrade.
 *
 * @param textOf the text of a pack; a name that it does not know is left to the check to report
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

/** Names under `use` of all files. What does not check is reported when the policy is. */
function packsUsed(files: readonly PolicyFile[]): readonly string[] {
  const ignored = newCheck();
  return files
    .filter(({ text }) => /^use:/m.test(text))
    .flatMap((file) => readFile(file, ignored)?.use?.list('use', packBounds.packs) ?? [])
    .flatMap((item) => readUse(item)?.name ?? []);
}
