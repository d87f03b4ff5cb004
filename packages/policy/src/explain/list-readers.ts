import type { Feature, Policy } from '../policy.ts';

/** Texts in a canonical condition: their content is not a name. */
const quoted = /"(?:[^"\\]|\\.)*"/g;

/** Names of the lists that a canonical condition reads. */
export function listsIn(text: string): readonly string[] {
  return [...text.replaceAll(quoted, '').matchAll(/\blists\.(\w+)/g)].map(([, name = '']) => name);
}

/** Reasons of the rules that read this list, directly or by a feature. */
export function rulesReading(policy: Pick<Policy, 'rules' | 'features' | 'ratios'>, list: string): readonly number[] {
  const asks = (text: string): boolean => listsIn(text).includes(list);
  const counts = ({ whereText }: Feature): boolean => whereText !== undefined && asks(whereText);
  const paths = new Set(policy.features.filter(counts).flatMap((feature) => feature.paths));
  for (const { name, of, to } of policy.ratios) if (paths.has(of.name) || paths.has(to.name)) paths.add(name);
  return policy.rules
    .filter(({ text, reads }) => asks(text) || reads.some(({ path }) => paths.has(path)))
    .map(({ reason }) => reason);
}
