import { traitValuesMax } from '../limits.ts';
import { components, type Traits } from './components.ts';

/** What was counted of one component. */
export interface TraitCount {
  /** Logins of a device that proved its id, with the component at this one and at the one before; of these, as it was. */
  again: number;
  kept: number;
  /** Devices that were counted, and how many show each value. The rarest are forgotten first. */
  devices: number;
  readonly values: Map<number, number>;
}

/** How much the assumptions of `components` count: as so many logins, and as so many devices. */
const assumedLogins = 50;
const assumedDevices = 20;

/**
 * How stable and how common each component is in this workspace. Learned from devices that prove who they are: what they
 * show at two logins tells what stays, what they show at all tells what many share.
 */
export class TraitStatistics {
  readonly counts: readonly TraitCount[] = components.map(() => ({ again: 0, kept: 0, devices: 0, values: new Map() }));

  /** How often the same device shows the component as it was, 0 to 1 and neither. */
  keptOf(place: number): number {
    const { again, kept } = this.counts[place]!;
    return (kept + components[place]!.kept * assumedLogins) / (again + assumedLogins);
  }

  /** How often another device shows this value, 0 to 1 and neither. */
  sharedOf(place: number, value: number): number {
    const { devices, values } = this.counts[place]!;
    return ((values.get(value) ?? 0) + components[place]!.shared * assumedDevices) / (devices + assumedDevices);
  }

  /** A device came that is new for its client. */
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

  /** A device that proved its id came again. */
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

/** All counts half as large: what is rare goes, and what was long ago weighs less. */
function halve(count: TraitCount): void {
  count.devices = Math.floor(count.devices / 2);
  for (const [value, devices] of count.values) {
    if (devices < 2) count.values.delete(value);
    else count.values.set(value, Math.floor(devices / 2));
  }
}
