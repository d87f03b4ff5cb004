import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readSigningKey, signChecksums, writeChecksums } from '../checksums.ts';

let folder: string;
let keys: string;

beforeEach(async () => {
  folder = temporary();
  keys = temporary();
  writeFileSync(join(folder, 'b.txt'), 'two');
  writeFileSync(join(folder, 'a.txt'), 'abc');
  await writeChecksums(folder);
});

function temporary(): string {
  const path = mkdtempSync(join(tmpdir(), 'ringfence-checksums-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

function keyFile(name: string, key: KeyObject): string {
  const file = join(keys, name);
  writeFileSync(file, key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' }));
  return file;
}

describe('checksums', () => {
  it('are those of SHA-256, by name', () => {
    expect(readFileSync(join(folder, 'SHA256SUMS'), 'utf8')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a.txt\n' + // FIPS 180-2, B.1
        '3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3  b.txt\n',
    );
  });

  it('leave out themselves and their signature', async () => {
    const before = readFileSync(join(folder, 'SHA256SUMS'), 'utf8');
    writeFileSync(join(folder, 'SHA256SUMS.sig'), 'x');
    await writeChecksums(folder);
    expect(readFileSync(join(folder, 'SHA256SUMS'), 'utf8')).toBe(before);
  });
});

describe('the signature', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');

  function verifies(by: KeyObject): boolean {
    const options = ['-pubin', '-inkey', keyFile('public.pem', by), '-rawin', '-in', 'SHA256SUMS'];
    return (
      spawnSync('openssl', ['pkeyutl', '-verify', ...options, '-sigfile', 'SHA256SUMS.sig'], { cwd: folder }).status ===
      0
    );
  }

  it('is verified by openssl, and no longer when a byte changes or with another key', ({ skip }) => {
    if (spawnSync('openssl', ['version']).status !== 0) skip('openssl is not installed');
    signChecksums(folder, readSigningKey(keyFile('private.pem', privateKey)));
    expect(verifies(publicKey)).toBe(true);
    expect(verifies(generateKeyPairSync('ed25519').publicKey)).toBe(false);
    writeFileSync(
      join(folder, 'SHA256SUMS'),
      readFileSync(join(folder, 'SHA256SUMS'), 'utf8').replace('b.txt', 'c.txt'),
    );
    expect(verifies(publicKey)).toBe(false);
  });

  it('is not made with a key of another kind', () => {
    const { privateKey: other } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(() => readSigningKey(keyFile('ec.pem', other))).toThrow('the key is ec, expected ed25519');
  });
});
