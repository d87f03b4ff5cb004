import { isArtifact } from '../document/artifact-file.ts';
import { newCheck } from '../document/check.ts';
import { declaredEntries } from '../document/declared-entries.ts';
import { readFile } from '../document/read-file.ts';
import type { PolicyFile } from '../policy.ts';

/** Paths of the artifacts that the models of these files name. Mistakes are reported when the policy is checked. */
export function artifactsNamed(files: readonly PolicyFile[]): readonly string[] {
  const ignored = newCheck();
  const sections = files
    .filter((file) => !isArtifact(file) && /^models:/m.test(file.text))
    .flatMap((file) => readFile(file, ignored)?.models ?? []);
  const paths = declaredEntries(
    sections.filter((item) => !item.empty),
    'models',
  ).flatMap(({ value }) => value.at(['artifact']).scalar('artifact') ?? []);
  return [...new Set(paths.filter((path) => typeof path === 'string').filter((path) => isArtifact({ path })))];
}
