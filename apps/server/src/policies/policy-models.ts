import type { EventKind } from '@ringfence/contract';
import type { Policy, PolicyFile, Rule } from '@ringfence/policy';

/** A model that a policy declares, as people see it. */
export interface PolicyModel {
  readonly name: string;
  readonly on: readonly EventKind[];
  readonly where?: string;
  /** With their expressions. */
  readonly inputs: readonly { readonly name: string; readonly kind: string; readonly text: string }[];
  /** Absent: its results are missing. */
  readonly trained?: {
    readonly path: string;
    readonly sha256: string;
    readonly trees: number;
    readonly bytes: number;
    readonly hasScore: boolean;
  };
  /** How often a challenger is trained; absent: never by itself. */
  readonly retrain?: 'weekly';
  /** The rules that read it. */
  readonly rules: readonly (Pick<Rule, 'reason' | 'name' | 'mode'> & { readonly when: string })[];
}

export function policyModels({ models, rules }: Policy, files: readonly PolicyFile[]): readonly PolicyModel[] {
  const sizes = new Map(files.map(({ path, text }) => [path, text.length]));
  return models.map(({ name, on, whereText, inputs, trained, retrain }) => ({
    name,
    on: [...on],
    ...(whereText === undefined ? {} : { where: whereText }),
    inputs: inputs.map((input) => ({ name: input.name, kind: input.kind, text: input.text })),
    ...(trained === undefined
      ? {}
      : {
          trained: {
            path: trained.artifact,
            sha256: trained.sha256,
            trees: trained.content.trees.length,
            bytes: sizes.get(trained.artifact) ?? 0,
            hasScore: trained.scores !== undefined,
          },
        }),
    ...(retrain === undefined ? {} : { retrain }),
    rules: rules
      .filter((rule) => rule.reads.some(({ path }) => path.startsWith(`model.${name}.`)))
      .map((rule) => ({ reason: rule.reason, name: rule.name, mode: rule.mode, when: rule.text })),
  }));
}
