import { profileCurrenciesMax, profileEventsMin, profileHalfLivesMax, profileSpreadMin } from '../../limits.ts';

/** The usual value of one number of one entity, in one currency. */
export interface Profile {
  /** Number of the currency in the entity's dictionary; -1 for all. */
  currency: number;
  /** Time of the latest event, ms. Weights are as of then. */
  lastMs: number;
  /** Events since it began. */
  events: number;
  /** Sum of the weights of all events: each starts at 1 and halves with every half-life. */
  weight: number;
  mean: number;
  /** Weighted sum of the squared distances from the mean. */
  spread: number;
}

/**
 * An exponentially weighted mean and spread for each currency.
 *
 * An event at time t weighs 2^-((last - t) / halfLife), where last is the latest time. A late event is added with the
 * weight that it would have by now, so the order of events only affects the last digits. After ten half-lives without
 * an event the remaining weight is negligible, and the profile begins again.
 * Source: West, "Updating mean and variance estimates: an improved method" (1979), with weights that decay.
 */
export class Profiles {
  readonly halfLifeMs: number;
  #profiles: Profile[] = [];

  constructor(halfLifeMs: number) {
    this.halfLifeMs = halfLifeMs;
  }

  get all(): readonly Profile[] {
    return this.#profiles;
  }

  /** Restores a profile from a snapshot. */
  append(profile: Profile): void {
    this.#profiles.push(profile);
  }

  /** Time from which an event can no longer be affected by the present profiles, ms. */
  get untilMs(): number {
    return this.#profiles.reduce((lastMs, profile) => Math.max(lastMs, profile.lastMs), 0) + this.#forgetMs;
  }

  /** The profile as of an event at `nowMs`, which may be late; `undefined` if nothing is known. */
  find(currency: number, nowMs: number): Profile | undefined {
    const known = this.#profiles.find((profile) => profile.currency === currency);
    return known === undefined || this.#isForgotten(known, nowMs) ? undefined : known;
  }

  add(currency: number, atMs: number, value: number): void {
    const known = this.#profiles.find((profile) => profile.currency === currency);
    if (known === undefined || this.#isForgotten(known, atMs)) {
      const others = this.#profiles.filter((profile) => profile !== known);
      const begun = { currency, lastMs: atMs, events: 1, weight: 1, mean: value, spread: 0 };
      this.#profiles = [...others.toSorted((a, b) => a.lastMs - b.lastMs).slice(1 - profileCurrenciesMax), begun];
      return;
    }
    const laterMs = atMs - known.lastMs;
    if (-laterMs >= this.#forgetMs) return;
    if (laterMs > 0) this.#age(known, laterMs);
    const weight = laterMs < 0 ? halved(-laterMs / this.halfLifeMs) : 1;
    known.events++;
    known.weight += weight;
    const distance = value - known.mean;
    known.mean += (distance * weight) / known.weight;
    known.spread += weight * distance * (value - known.mean);
  }

  /** Renumbers the currencies. */
  renumber(numberOf: (number: number) => number): void {
    for (const profile of this.#profiles) if (profile.currency >= 0) profile.currency = numberOf(profile.currency);
  }

  get #forgetMs(): number {
    return this.halfLifeMs * profileHalfLivesMax;
  }

  #isForgotten({ lastMs }: Profile, nowMs: number): boolean {
    return nowMs - lastMs >= this.#forgetMs;
  }

  #age(profile: Profile, byMs: number): void {
    const left = halved(byMs / this.halfLifeMs);
    profile.lastMs += byMs;
    profile.weight *= left;
    profile.spread *= left;
  }
}

/** The deviation for z-scores; `undefined` if there were too few events, or all were 0. */
export function deviationIn({ events, weight, mean, spread }: Profile): number | undefined {
  if (events < profileEventsMin) return undefined;
  const deviation = Math.max(Math.sqrt(spread / weight), Math.abs(mean) * profileSpreadMin);
  return deviation > 0 ? deviation : undefined;
}

const ln2 = 0.693_147_180_559_945_3;
/** Terms of the series for at most one half-life: the next one is below 10^-17. */
const terms = 16;

/** 2^-x for x >= 0, by operations that give the same result on every machine. */
export function halved(x: number): number {
  const whole = Math.floor(x);
  const power = -(x - whole) * ln2;
  let sum = 1;
  for (let term = terms; term > 0; term--) sum = 1 + (sum * power) / term;
  for (let halving = 0; halving < whole; halving++) sum /= 2;
  return sum;
}
