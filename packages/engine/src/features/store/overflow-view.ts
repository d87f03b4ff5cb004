import { type Extras, noExtras } from './overflow.ts';

/** A look at an entity that may have extras: they are read as if it had them, and made when one of them is set. */
export abstract class WithExtras {
  protected extras: Extras | undefined;

  /** Whether it keeps more than the rows in its block. */
  get hasExtras(): boolean {
    return this.extras !== undefined;
  }

  /** Columns that became wide, by column; their values stand beside the rows, by row. */
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

  /** Makes those of the entity, and notes where they are. */
  protected abstract addExtras(): Extras;

  get #own(): Extras {
    return (this.extras ??= this.addExtras());
  }
}
