import { knownDevicesMax } from '../limits.ts';
import type { Traits } from './components.ts';

/** A device that a client has logged in with. Immutable. */
export interface KnownDevice {
  /** Names it for good: the first id that it proved, or one that was given to it. */
  readonly id: string;
  /** The id that it proved last and the thumbprint of its key; "" where it never proved one. */
  readonly provedId: string;
  readonly key: string;
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  readonly logins: number;
  /** When a step-up was executed on it; `undefined` for never. */
  readonly trustedAtMs: number | undefined;
  /** Of the text of its traits, as the door wrote it; 0 where it sent none. */
  readonly shownHash: number;
  /** As of its last login; `undefined` where it sent none. */
  readonly traits: Traits | undefined;
}

/** The list with this device last. Beyond the bound the one that was not seen for the longest goes. */
export function withDevice(
  devices: readonly KnownDevice[],
  device: KnownDevice,
  before: KnownDevice | undefined,
): readonly KnownDevice[] {
  const others = devices.filter((other) => other !== before);
  return [...others, device].slice(-knownDevicesMax);
}
