import type { PublicJwk } from '../src/token/recipient.ts';

/** A private key on P-256 that is published in an RFC: for test vectors only. */
export interface ExampleKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly d: string;
  readonly kid: string;
}

/** RFC 7517 Appendix A.2. */
export const recipient: ExampleKey = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
  d: '870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE',
  kid: 'vector-1',
};

/** RFC 7518 Appendix C, the static key. */
export const bob: ExampleKey = {
  kty: 'EC',
  crv: 'P-256',
  x: 'weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ',
  y: 'e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck',
  d: 'VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw',
  kid: 'vector-2',
};

/** RFC 7518 Appendix C, the ephemeral key. */
export const alice: ExampleKey = {
  kty: 'EC',
  crv: 'P-256',
  x: 'gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0',
  y: 'SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps',
  d: '0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo',
  kid: 'ephemeral',
};

/** RFC 7515 Appendix A.3: the key of the device. */
export const deviceKey: ExampleKey = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI',
  kid: 'device',
};

/** The key of an attacker who copied the id: that of the first recipient, because any key will do. */
export const otherDeviceKey: ExampleKey = { ...recipient, kid: 'other-device' };

export function publicOf({ kty, crv, x, y, kid }: ExampleKey): PublicJwk {
  return { kty, crv, x, y, kid };
}

export async function pairOf(key: ExampleKey, name: 'ECDH' | 'ECDSA'): Promise<CryptoKeyPair> {
  const { crv, kty, x, y, d } = key;
  const curve = { name, namedCurve: 'P-256' };
  const uses = name === 'ECDH' ? (['deriveBits'] as const) : (['sign'] as const);
  return {
    publicKey: await crypto.subtle.importKey('jwk', { crv, kty, x, y }, curve, true, name === 'ECDH' ? [] : ['verify']),
    privateKey: await crypto.subtle.importKey('jwk', { crv, kty, x, y, d }, curve, false, uses),
  };
}
