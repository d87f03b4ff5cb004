import { traitValuesMax } from '../limits.ts';
import { components, type Traits } from './components.ts';

/** What was counted about one component. */
export interface TraitCount {
  /**
   * Logins of a device that proved its id and showed the component both now and at the login before; `kept` of these
   * had the same value.
   */
  again: number;
  kept: number;
  /** Devices that were counted, and how many of them show each value. The rarest values are forgotten first. */
  devices: number;
  readonly values: Map<number, number>;
}

/** Weight of the initial assumptions in `components`, as a number of logins and of devices. */
const assumedLogins = 50;
const assumedDevices = 20;

/**
 * How stable and how common each component is in this workspace. Learned from devices that prove their id: two logins
 * of one show what stays the same, and all of them show what is shared.
 */
export class TraitStatistics {
  readonly counts: readonly TraitCount[] = components.map(() => ({ again: 0, kept: 0, devices: 0, values: new Map() }));

  /** Probability that the same device shows the same value again, between 0 and 1, exclusive. */
  keptOf(place: number): number {
    const { again, kept } = this.counts[place]!;
    return (kept + components[place]!.kept * assumedLogins) / (again + assumedLogins);
  }

  /** Probability that another device shows this value, between 0 and 1, exclusive. */
  sharedOf(place: number, value: number): number {
    const { devices, values } = this.counts[place]!;
    return ((values.get(value) ?? 0) + components[place]!.shared * assumedDevices) / (devices + assumedDevices);
  }

  /** Counts a device that is new for its client. */
  noteDevice(traits: Traits): void {
    for (let place = 0; place < components.length; place++) {
      const value = traits[place]!;
      if (value === 0) continue;
      const count = this.counts[place]!;
      count.devices++;
      count.values.set(value, (count.values.get(value) ?? 0) + 1);
      if (count.values.size > traitValuesMax) halve(count);
    }
  }

  /** Counts another login of a device that proved its id. */
  noteAgain(before: Traits, now: Traits): void {
    for (let place = 0; place < components.length; place++) {
      if (before[place] === 0 || now[place] === 0) continue;
      const count = this.counts[place]!;
      count.again++;
      if (before[place] === now[place]) count.kept++;
    }
  }

  get isEmpty(): boolean {
    return this.counts.every(({ again, devices }) => again === 0 && devices === 0);
  }
}

/** Halves all counts: rare values are dropped, and old ones weigh less. */
function halve(count: TraitCount): void {
  count.devices = Math.floor(count.devices / 2);
  for (const [value, devices] of count.values) {
    if (devices < 2) count.values.delete(value);
    else count.values.set(value, Math.floor(devices / 2));
  }
}
