import type { PolicyFile } from '../policy.ts';

/** Whether a file of a policy is the artifact of a model. */
export function isArtifact({ path }: Pick<PolicyFile, 'path'>): boolean {
  return path.endsWith('.json');
}
