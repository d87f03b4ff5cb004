import { isJsonObject, type JsonValue } from '@ringfence/contract';
import { hash } from 'node:crypto';
import { bytesOf } from './base64url.ts';

/** A point of P-256 in the form of a JWK. */
export interface PointJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
}

const coordinateBytes = 32;
const members = 4;

/**
 * A public key of P-256 reduced to its point, which is verified to be on the curve; `undefined` for any other value.
 */
export function readPoint(value: JsonValue | undefined): PointJwk | undefined {
  if (!isJsonObject(value) || Object.keys(value).length !== members) return undefined;
  const { kty, crv, x, y } = value;
  if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string') return undefined;
  return isOnCurve(coordinateOf(x), coordinateOf(y)) ? { kty, crv, x, y } : undefined;
}

function coordinateOf(text: string): bigint | undefined {
  const bytes = bytesOf(text);
  return bytes?.length === coordinateBytes ? BigInt(`0x${bytes.toString('hex')}`) : undefined;
}

/** The prime of the field and the constant of the curve. Source: FIPS 186-5 and SP 800-186 §3.2.1.3. */
const p = 0xffffffff_00000001_00000000_00000000_00000000_ffffffff_ffffffff_ffffffffn;
const b = 0x5ac635d8_aa3a93e7_b3ebbd55_769886bc_651d06b0_cc53b0f6_3bce3c3e_27d2604bn;

/** y² = x³ - 3x + b. Checked here, because the call that imports the key would need longer to refuse it. */
function isOnCurve(x: bigint | undefined, y: bigint | undefined): boolean {
  if (x === undefined || y === undefined || x >= p || y >= p) return false;
  return (y * y - (x * x - 3n) * x - b) % p === 0n;
}

/** The SPKI (RFC 5480) prefix of an uncompressed point of P-256. Its 27 bytes end at a boundary of a Base64 group. */
const beforePoint = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d03010703420004', 'hex').toString('base64');

/**
 * The point in a form that `node:crypto` accepts directly. A text, because for anything else Node detects the format by
 * exceptions (docs/decisions/0104).
 */
export function pemOf({ x, y }: PointJwk): string {
  const point = Buffer.allocUnsafe(2 * coordinateBytes);
  point.write(x, 'base64url');
  point.write(y, coordinateBytes, 'base64url');
  return `-----BEGIN PUBLIC KEY-----\n${beforePoint}${point.toString('base64')}\n-----END PUBLIC KEY-----\n`;
}

/** The thumbprint of a key: equal keys have equal thumbprints (RFC 7638, SHA-256). */
export function thumbprintOf({ kty, crv, x, y }: PointJwk): string {
  return hash('sha256', JSON.stringify({ crv, kty, x, y }), 'base64url');
}
