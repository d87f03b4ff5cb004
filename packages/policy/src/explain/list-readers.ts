import type { Feature, Policy } from '../policy.ts';
import { rulesReadingFeatures } from './feature-readers.ts';

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
  const byFeature = rulesReadingFeatures(policy, counts);
  return policy.rules.filter(({ reason, text }) => asks(text) || byFeature.has(reason)).map(({ reason }) => reason);
}
