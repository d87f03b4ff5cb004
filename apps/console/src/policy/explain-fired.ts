import { explainFired as explain, loadPolicy, type PolicyFile } from '@ringfence/policy';

export interface ShownCondition {
  readonly text: string;
  /** `undefined`: a fact that it needs was missing, or it is not known. */
  readonly holds: boolean | undefined;
  readonly values: readonly { readonly path: string; readonly text: string | undefined }[];
}

export interface ShownRule {
  readonly text: string;
  readonly conditions: readonly ShownCondition[];
}

/**
 * Every part of a rule's condition with what it read and how it came out: by the compiler that decided, run here on the
 * facts that the decision kept.
 *
 * @returns `undefined` when these files do not load or have no such rule
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
