import { isArtifact } from '@ringfence/policy/artifact-file';

/** The files of a policy that people write: without those of its models. */
export function policyTexts<File extends { readonly path: string }>(files: readonly File[]): readonly File[] {
  return files.filter((file) => !isArtifact(file));
}
