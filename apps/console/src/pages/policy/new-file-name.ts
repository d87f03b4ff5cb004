import type { PolicyFile } from '@ringfence/policy';

/** Why a file of the policy cannot get this name; `undefined` if it can. */
export function fileNameMistake(name: string, files: readonly PolicyFile[]): 'form' | 'taken' | undefined {
  if (!/^[A-Za-z0-9][\w-]{0,63}\.yaml$/.test(name)) return 'form';
  // Some file systems do not tell capitals from small letters.
  return files.some(({ path }) => path.toLowerCase() === name.toLowerCase()) ? 'taken' : undefined;
}
