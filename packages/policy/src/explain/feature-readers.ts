import type { Feature, Policy } from '../policy.ts';

/** Reasons of the rules that read one of these features, directly or by a ratio. No feature reads another one. */
export function rulesReadingFeatures(
  { rules, features, ratios }: Pick<Policy, 'rules' | 'features' | 'ratios'>,
  isMeant: (feature: Feature) => boolean,
): ReadonlySet<number> {
  const paths = new Set(features.filter(isMeant).flatMap((feature) => feature.paths));
  for (const { name, of, to } of ratios) if (paths.has(of.name) || paths.has(to.name)) paths.add(name);
  return new Set(rules.filter(({ reads }) => reads.some(({ path }) => paths.has(path))).map(({ reason }) => reason));
}
