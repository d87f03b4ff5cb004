import { explainKept, loadPolicy, type ModelExplanation, type PolicyFile } from '@ringfence/policy';
import type { EventDetail } from '../api/operations.generated.ts';

export interface KnownExplanations {
  /** Models whose inputs the decision keeps. */
  readonly kept: readonly ModelExplanation[];
  /** Whether rules for this kind of event read further models. */
  readonly hasOthers: boolean;
}

/**
 * Explains models by the inputs that are stored with the decision. Runs the code of the service here.
 *
 * @param files of the version that decided
 * @returns `undefined` if they do not load, or no rule for this kind of event reads a model
 */
export function explainModels(
  files: readonly PolicyFile[],
  { kind, rules, currency }: Pick<EventDetail, 'kind' | 'rules' | 'currency'>,
): KnownExplanations | undefined {
  const loaded = loadPolicy(files);
  if (!loaded.ok) return undefined;
  const read = new Set(
    loaded.policy.rules.filter(({ on }) => on.has(kind)).flatMap(({ reads }) => reads.map(({ path }) => path)),
  );
  const models = loaded.policy.models.filter(
    ({ on, trained, paths }) => on.has(kind) && trained !== undefined && paths.some((path) => read.has(path)),
  );
  if (models.length === 0) return undefined;
  const kept = explainKept(loaded.policy, rules, currency);
  return { kept, hasOthers: kept.length < models.length };
}
