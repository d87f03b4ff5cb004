import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export const checksumFile = 'SHA256SUMS';
export const signatureFile = `${checksumFile}.sig`;

/** Writes `SHA256SUMS` of all files of a folder, in the form that `sha256sum --check` reads. */
export async function writeChecksums(folder: string): Promise<void> {
  const lines: string[] = [];
  for (const name of readdirSync(folder).toSorted()) {
    if (name === checksumFile || name === signatureFile) continue;
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, name)), hash);
    lines.push(`${hash.digest('hex')}  ${name}\n`);
  }
  writeFileSync(join(folder, checksumFile), lines.join(''));
}

/**
 * The private key that signs a release.
 *
 * @param file PEM (PKCS #8)
 * @throws Error if it is no Ed25519 key
 */
export function readSigningKey(file: string): KeyObject {
  const key = createPrivateKey(readFileSync(file));
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new Error(`${file}: the key is ${key.asymmetricKeyType ?? 'unknown'}, expected ed25519`);
}

/** Writes the Ed25519 signature of `SHA256SUMS` beside it: 64 bytes, as `openssl pkeyutl` reads them. */
export function signChecksums(folder: string, key: KeyObject): void {
  writeFileSync(join(folder, signatureFile), sign(null, readFileSync(join(folder, checksumFile)), key));
}
