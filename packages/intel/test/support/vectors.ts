import { readFileSync } from 'node:fs';
import { type DeviceKey, openDeviceKey, type PrivateDeviceJwk } from '../../src/device-key.ts';

/** The committed vectors of the browser SDK. */
export interface Vectors {
  readonly keys: { readonly keys: readonly PrivateDeviceJwk[] };
  readonly steps: { readonly sharedSecret: string; readonly contentKey: string };
  readonly opened: readonly {
    readonly name: string;
    readonly token: string;
    readonly proof: 'holds' | 'broken' | 'none';
    readonly content: { readonly iat: number; readonly channelId: number; readonly nonce: string };
  }[];
  readonly refused: readonly { readonly name: string; readonly token: string }[];
  readonly refusedContent: readonly { readonly name: string; readonly token: string }[];
}

const file = new URL('../../../device/vectors/device-token.json', import.meta.url);

export const vectors = JSON.parse(readFileSync(file, 'utf8')) as Vectors;

export const vectorKeys: readonly DeviceKey[] = vectors.keys.keys.map(openDeviceKey);
