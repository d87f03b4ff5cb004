import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type PointJwk, thumbprintOf } from './p256.ts';

/** A key of a workspace that decrypts device tokens. */
export interface DeviceKey {
  readonly kid: string;
  /** The public key that pages encrypt to. */
  readonly publicJwk: PublicDeviceJwk;
  readonly privateKey: KeyObject;
}

/** In the form that the browser SDK accepts. */
export interface PublicDeviceJwk extends PointJwk {
  readonly kid: string;
  readonly use: 'enc';
  readonly alg: 'ECDH-ES';
}

/** The whole key, to be stored encrypted. */
export interface PrivateDeviceJwk extends PointJwk {
  readonly d: string;
  readonly kid: string;
}

/** A new key on P-256, named by its thumbprint. */
export function makeDeviceKey(): PrivateDeviceJwk {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y, d } = privateKey.export({ format: 'jwk' }) as { x: string; y: string; d: string };
  const point: PointJwk = { kty: 'EC', crv: 'P-256', x, y };
  return { ...point, d, kid: thumbprintOf(point) };
}

/** A key in its stored form. @throws if it is invalid */
export function openDeviceKey({ kty, crv, x, y, d, kid }: PrivateDeviceJwk): DeviceKey {
  return {
    kid,
    publicJwk: { kty, crv, x, y, kid, use: 'enc', alg: 'ECDH-ES' },
    privateKey: createPrivateKey({ key: { kty, crv, x, y, d }, format: 'jwk' }),
  };
}
