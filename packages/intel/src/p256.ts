import { isJsonObject, type JsonValue } from '@ringfence/contract';
import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import { bytesOf } from './base64url.ts';

/** A point of P-256 as a JWK writes it. */
export interface PointJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
}

const coordinateBytes = 32;
const members = 4;

/** A public key of P-256 that says no more than its point; `undefined` for any other value. */
export function readPoint(value: JsonValue | undefined): PointJwk | undefined {
  if (!isJsonObject(value) || Object.keys(value).length !== members) return undefined;
  const { kty, crv, x, y } = value;
  if (kty !== 'EC' || crv !== 'P-256' || !isCoordinate(x) || !isCoordinate(y)) return undefined;
  return { kty, crv, x, y };
}

function isCoordinate(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && bytesOf(value)?.length === coordinateBytes;
}

/** @throws when the point is not on the curve */
export function publicKeyOf({ kty, crv, x, y }: PointJwk): KeyObject {
  return createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' });
}

/** Names a key: the same key, the same text (RFC 7638, SHA-256). */
export function thumbprintOf({ kty, crv, x, y }: PointJwk): string {
  return hash('sha256', JSON.stringify({ crv, kty, x, y }), 'base64url');
}
