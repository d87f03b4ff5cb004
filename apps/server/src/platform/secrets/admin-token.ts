import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { OperatorError } from '../observability/operator-error.ts';
import { readOrMakeSecretFile, readSecretFile } from './secret-file.ts';
import { base62, base62Digits } from './base62.ts';

/** Long enough that it cannot be guessed, even if a person made it up. */
const adminTokenLengthMin = 32;

export interface AdminToken {
  readonly token: string;
  readonly from: 'environment' | 'file';
  readonly path: string | undefined;
}

export function adminTokenPath(home: string): string {
  return join(home, 'secrets', 'admin-token');
}

/**
 * The token of the management API: RINGFENCE_ADMIN_TOKEN if it is set, else `home/secrets/admin-token`, created at the
 * first start.
 *
 * @throws OperatorError when it is too short, or others can read its file
 */
export function loadAdminToken(home: string, fromEnvironment: string | undefined): AdminToken {
  const found = findAdminToken(home, fromEnvironment);
  if (found !== undefined) return found;
  const path = adminTokenPath(home);
  const file = readOrMakeSecretFile(path, () => `rf_admin_${base62(randomBytes(32), base62Digits(256))}`);
  return { token: checked(file.text, path), from: 'file', path };
}

/**
 * Like `loadAdminToken`, but creates nothing; `undefined` if there is no token yet.
 *
 * @throws OperatorError as `loadAdminToken`
 */
export function findAdminToken(home: string, fromEnvironment: string | undefined): AdminToken | undefined {
  if (fromEnvironment !== undefined && fromEnvironment.trim() !== '') {
    return { token: checked(fromEnvironment.trim(), 'RINGFENCE_ADMIN_TOKEN'), from: 'environment', path: undefined };
  }
  const path = adminTokenPath(home);
  const text = readSecretFile(path);
  return text === undefined ? undefined : { token: checked(text, path), from: 'file', path };
}

function checked(token: string, where: string): string {
  if (token.length >= adminTokenLengthMin && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new OperatorError(
    `${where} is not a usable admin token: expected at least ${adminTokenLengthMin} printable ASCII characters without spaces.`,
    'Create one with: openssl rand -base64 32',
  );
}

/** Whether this is the token, by a constant-time comparison. */
export function isAdminToken(expected: AdminToken, given: string): boolean {
  return timingSafeEqual(hash('sha256', expected.token, 'buffer'), hash('sha256', given, 'buffer'));
}
