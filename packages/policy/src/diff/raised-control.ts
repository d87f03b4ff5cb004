import type { ControlShare, Policy } from '../policy.ts';

/** The control share of a model, as plain values. */
export interface ModelControl extends Pick<ControlShare, 'share' | 'upTo' | 'currency'> {
  readonly model: string;
}

export function controlsOf({ models }: Pick<Policy, 'models'>): readonly ModelControl[] {
  return models.flatMap(({ name, control }) => {
    if (control === undefined) return [];
    const { share, upTo, currency } = control;
    return [{ model: name, share, upTo, currency }];
  });
}

/** A control share that is new, larger than before, or has a looser cap; `undefined` if there is no such one. */
export function raisedControl(
  before: readonly ModelControl[],
  after: readonly ModelControl[],
): ModelControl | undefined {
  return after.find((control) => !before.some((known) => covers(known, control)));
}

function covers(known: ModelControl, { model, share, upTo, currency }: ModelControl): boolean {
  return known.model === model && known.share >= share && known.upTo >= upTo && known.currency === currency;
}
