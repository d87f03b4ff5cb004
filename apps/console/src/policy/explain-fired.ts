import { explainFired as explain, loadPolicy, type PolicyFile } from '@ringfence/policy';

export interface ShownCondition {
  readonly text: string;
  /** `undefined`: a required fact was missing, or the result is unknown. */
  readonly holds: boolean | undefined;
  readonly values: readonly { readonly path: string; readonly text: string | undefined }[];
}

export interface ShownRule {
  readonly text: string;
  readonly conditions: readonly ShownCondition[];
}

/**
 * Each part of the condition of a rule with its result and the values it read. Runs the compiler of the service here,
 * on
 * the facts stored with the decision.
 *
 * @returns `undefined` if these files do not load or lack the rule
 */
export function explainFired(
  files: readonly PolicyFile[],
  fired: { readonly reason: number; readonly facts: Readonly<Record<string, string>> },
): ShownRule | undefined {
  const loaded = loadPolicy(files);
  if (!loaded.ok) return undefined;
  const { policy } = loaded;
  const rule = policy.rules.find(({ reason }) => reason === fired.reason);
  if (rule === undefined) return undefined;
  return {
    text: rule.text,
    conditions: explain(rule, fired.facts, policy).conditions.map(({ text, holds, values }) => ({
      text,
      holds,
      values: Object.entries(values).map(([path, value]) => ({
        path,
        text: value === undefined ? value : fired.facts[path],
      })),
    })),
  };
}
