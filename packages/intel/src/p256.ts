import { isJsonObject, type JsonValue } from '@ringfence/contract';
import { hash } from 'node:crypto';
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

/** What SPKI (RFC 5480) puts before a point of P-256 that is written in full. Its 27 bytes end where a group of Base64 does. */
const beforePoint = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d03010703420004', 'hex').toString('base64');

/**
 * The point as calls of `node:crypto` take a key at once. A text, because of anything else Node finds out by exceptions
 * what it is (docs/decisions/0104). The call throws when the point is not on the curve.
 */
export function pemOf({ x, y }: PointJwk): string {
  const point = Buffer.allocUnsafe(2 * coordinateBytes);
  point.write(x, 'base64url');
  point.write(y, coordinateBytes, 'base64url');
  return `-----BEGIN PUBLIC KEY-----\n${beforePoint}${point.toString('base64')}\n-----END PUBLIC KEY-----\n`;
}

/** Names a key: the same key, the same text (RFC 7638, SHA-256). */
export function thumbprintOf({ kty, crv, x, y }: PointJwk): string {
  return hash('sha256', JSON.stringify({ crv, kty, x, y }), 'base64url');
}
