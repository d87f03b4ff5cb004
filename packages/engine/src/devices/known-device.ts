import { knownDevicesMax } from '../limits.ts';
import type { Traits } from './components.ts';

/** A device that a client has logged in with. Immutable. */
export interface KnownDevice {
  /** Permanent name: the first id that the device proved, or a generated one. */
  readonly id: string;
  /** The id that it proved last and the thumbprint of its key; "" if it never proved one. */
  readonly provedId: string;
  readonly key: string;
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  readonly logins: number;
  /** When a step-up was executed on it; `undefined` for never. */
  readonly trustedAtMs: number | undefined;
  /** Hash of the text of its traits, as ingest wrote it; 0 if it sent none. */
  readonly shownHash: number;
  /** Traits at its last login; `undefined` if it sent none. */
  readonly traits: Traits | undefined;
}

/** The list with this device last. Beyond the bound the least recently seen device is removed. */
export function withDevice(
  devices: readonly KnownDevice[],
  device: KnownDevice,
  before: KnownDevice | undefined,
): readonly KnownDevice[] {
  const others = devices.filter((other) => other !== before);
  return [...others, device].slice(-knownDevicesMax);
}
