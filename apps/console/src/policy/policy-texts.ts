/** The files of a policy that people write: without those of its models, which are JSON. */
export function policyTexts<File extends { readonly path: string }>(files: readonly File[]): readonly File[] {
  return files.filter(({ path }) => !path.endsWith('.json'));
}
