import { type Extras, noExtras } from './overflow.ts';

/**
 * Accessor base class for entities that may have an overflow. Reading without one gives empty lists; setting creates
 * it.
 */
export abstract class WithExtras {
  protected extras: Extras | undefined;

  /** Whether the entity keeps more than the rows in its block. */
  get hasExtras(): boolean {
    return this.extras !== undefined;
  }

  /** Bigint values of wide columns: by column, then by row. */
  get wide(): Extras['wide'] {
    return (this.extras ?? noExtras).wide;
  }

  set wide(wide: Extras['wide']) {
    this.#own.wide = wide;
  }

  get tails(): Extras['tails'] {
    return (this.extras ?? noExtras).tails;
  }

  set tails(tails: Extras['tails']) {
    this.#own.tails = tails;
  }

  get distinctTails(): Extras['distinctTails'] {
    return (this.extras ?? noExtras).distinctTails;
  }

  set distinctTails(tails: Extras['distinctTails']) {
    this.#own.distinctTails = tails;
  }

  get countTails(): Extras['countTails'] {
    return (this.extras ?? noExtras).countTails;
  }

  set countTails(tails: Extras['countTails']) {
    this.#own.countTails = tails;
  }

  get profiles(): Extras['profiles'] {
    return (this.extras ?? noExtras).profiles;
  }

  set profiles(profiles: Extras['profiles']) {
    this.#own.profiles = profiles;
  }

  get fraudTimes(): Extras['fraudTimes'] {
    return (this.extras ?? noExtras).fraudTimes;
  }

  set fraudTimes(times: Extras['fraudTimes']) {
    this.#own.fraudTimes = times;
  }

  get objectWindows(): Extras['objectWindows'] {
    return this.extras?.objectWindows;
  }

  set objectWindows(objectWindows: Extras['objectWindows']) {
    if (objectWindows !== undefined) this.#own.objectWindows = objectWindows;
    else if (this.extras !== undefined) this.extras.objectWindows = undefined;
  }

  /** Creates the entity's overflow and records where it is. */
  protected abstract addExtras(): Extras;

  get #own(): Extras {
    return (this.extras ??= this.addExtras());
  }
}
