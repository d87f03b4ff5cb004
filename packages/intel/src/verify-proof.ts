import { isJsonObject, type JsonObject, parseJson } from '@ringfence/contract';
import { verify } from 'node:crypto';
import { bytesOf } from './base64url.ts';
import { type DeviceContent, wholeNumber } from './device-content.ts';
import { derOf } from './ecdsa-der.ts';
import { pemOf, readPoint, thumbprintOf } from './p256.ts';

/** `none`: the device has no id, or can't store keys. `broken`: the proof was forged. */
export type Proof = { readonly state: 'holds'; readonly key: string } | { readonly state: 'broken' | 'none' };

const none: Proof = { state: 'none' };
const broken: Proof = { state: 'broken' };
const headerMembers = 3;

/**
 * Verifies that the key in the proof's header signed this token's id, nonce, time and origin (compact JWS, ES256). It
 * does not verify whose key it is: the caller compares `key`, its thumbprint, with the one that came with the id
 * before.
 */
export function verifyProof(content: DeviceContent): Proof {
  const text = content.device?.proof;
  if (text === undefined) return none;
  const [head, payload, signature] = text.split('.') as [string, string, string];
  const header = readJson(head);
  const claims = readJson(payload);
  const signed = bytesOf(signature);
  if (header === undefined || claims === undefined || signed === undefined) return broken;
  if (Object.keys(header).length !== headerMembers || !claimsAgree(claims, content)) return broken;
  const point = readPoint(header.jwk);
  if (header.alg !== 'ES256' || header.typ !== 'ringfence-device-proof' || point === undefined) return broken;
  const input = Buffer.from(`${head}.${payload}`, 'ascii');
  const holds = verify('sha256', input, pemOf(point), derOf(signed));
  return holds ? { state: 'holds', key: thumbprintOf(point) } : broken;
}

function claimsAgree({ id, nonce, iat, origin }: JsonObject, content: DeviceContent): boolean {
  const at = wholeNumber(iat);
  return (
    id === content.device?.id &&
    nonce === content.nonce &&
    origin === content.origin &&
    at !== undefined &&
    at * 1_000 === content.issuedAtMs
  );
}

function readJson(part: string): JsonObject | undefined {
  const bytes = bytesOf(part);
  const json = bytes === undefined ? undefined : parseJson(bytes);
  return json?.ok === true && isJsonObject(json.value) ? json.value : undefined;
}
