import { isJsonObject, parseJson } from '@ringfence/contract';
import { diffieHellman, type KeyObject } from 'node:crypto';
import { bytesOf } from './base64url.ts';
import { concatKdf, otherInfoOf } from './concat-kdf.ts';
import { type DeviceKey, makeDeviceKey, openDeviceKey } from './device-key.ts';
import { contentBytesMax, tokenLengthMax } from './limits.ts';
import { ivBytes, openSealed, readSealed, type Sealed, tagBytes } from './open-sealed.ts';
import { pemOf, type PointJwk, readPoint } from './p256.ts';

const headerMembers = 5;

interface Header {
  readonly kid: string;
  readonly epk: PointJwk;
}

/**
 * Decrypts a compact JWE (RFC 7516) with ECDH-ES on P-256 and A256GCM; `undefined` if that fails, for any reason.
 * Nothing is negotiated: a token with another algorithm, compression, an extension or its own key is refused. Takes
 * about 0.07 ms for every token: a malformed token costs the same as one with a wrong tag, so that the time reveals
 * nothing about the reason of a refusal.
 *
 * @param keys of the workspace; the key named by the token decrypts it
 */
export function openEnvelope(token: string, keys: readonly DeviceKey[]): Buffer | undefined {
  const envelope = readEnvelope(token, keys);
  const content = contentOf(envelope ?? decoy);
  return envelope === undefined ? undefined : content;
}

interface Envelope {
  readonly privateKey: KeyObject;
  readonly epk: PointJwk;
  readonly sealed: Sealed;
}

function readEnvelope(token: string, keys: readonly DeviceKey[]): Envelope | undefined {
  if (token.length > tokenLengthMax) return undefined;
  const parts = token.split('.', 6);
  if (parts.length !== 5 || parts[1] !== '') return undefined;
  const header = readHeader(parts[0]!);
  const key = keys.find(({ kid }) => kid === header?.kid);
  const sealed = readSealed(parts, contentBytesMax);
  if (header === undefined || key === undefined || sealed === undefined) return undefined;
  return { privateKey: key.privateKey, epk: header.epk, sealed };
}

function contentOf({ privateKey, epk, sealed }: Envelope): Buffer | undefined {
  const secret = diffieHellman({ privateKey, publicKey: pemOf(epk) });
  try {
    return openSealed(contentKeyOf(secret), sealed);
  } catch {
    return undefined; // The tag is invalid.
  }
}

/**
 * Decrypted in place of a malformed token, to equalise the time: encrypted to an unused key, of typical length, with a
 * tag that is never valid.
 */
const decoy = makeDecoy();

function makeDecoy(): Envelope {
  const { privateKey, publicJwk } = openDeviceKey(makeDeviceKey());
  const { kty, crv, x, y } = publicJwk;
  const sealed = { head: '', iv: Buffer.alloc(ivBytes), ciphertext: Buffer.alloc(2_000), tag: Buffer.alloc(tagBytes) };
  return { privateKey, epk: { kty, crv, x, y }, sealed };
}

/** Exactly the members that the guide lists. */
function readHeader(text: string): Header | undefined {
  const bytes = bytesOf(text);
  const json = bytes === undefined ? undefined : parseJson(bytes);
  if (json?.ok !== true || !isJsonObject(json.value)) return undefined;
  const { alg, enc, typ, kid, epk } = json.value;
  const point = readPoint(epk);
  const isOurs = alg === 'ECDH-ES' && enc === 'A256GCM' && typ === 'ringfence-device';
  if (!isOurs || typeof kid !== 'string' || point === undefined) return undefined;
  return Object.keys(json.value).length === headerMembers ? { kid, epk: point } : undefined;
}

const purpose = otherInfoOf({ algorithm: 'A256GCM', bits: 256 });

export function contentKeyOf(sharedSecret: Uint8Array): Buffer {
  return concatKdf(sharedSecret, purpose);
}
