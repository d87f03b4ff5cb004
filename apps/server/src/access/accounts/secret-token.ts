import { hash, randomBytes } from 'node:crypto';

/** 256 random bits for a cookie or a link, 43 characters. */
export function makeSecretToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The hash that is stored: a random token needs no salt. */
export function secretTokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
