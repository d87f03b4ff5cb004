import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encryptClient } from '../src/encrypt-client.ts';

const run = promisify(execFile);
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 3_072 });
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringfence-rsa-'));
  await writeFile(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
});
afterAll(() => rm(folder, { recursive: true }));

/** Decrypts like a receiver in another language: with the openssl command, which supports separate hashes. */
async function openssl(text: string, mgf1Hash: string): Promise<string> {
  const sealed = join(folder, `${mgf1Hash}.bin`);
  await writeFile(sealed, Buffer.from(text, 'base64'));
  const options = ['rsa_padding_mode:oaep', 'rsa_oaep_md:sha256', `rsa_mgf1_md:${mgf1Hash}`].flatMap((o) => [
    '-pkeyopt',
    o,
  ]);
  const { stdout } = await run('openssl', [
    'pkeyutl',
    '-decrypt',
    '-inkey',
    join(folder, 'key.pem'),
    '-in',
    sealed,
    ...options,
  ]);
  return stdout;
}

describe('clientRSA, decrypted by openssl', () => {
  it.each(['sha256', 'sha1'] as const)('with MGF1 over %s', async (mgf1Hash) => {
    for (const user of ['ana', 'ana.pérez@example.com', 'x'.repeat(318), '']) {
      expect(await openssl(encryptClient(user, publicKey, mgf1Hash) ?? '', mgf1Hash)).toBe(user);
    }
  });

  it('cannot be decrypted with the other MGF1 hash: the setting matters', async () => {
    const text = encryptClient('ana', publicKey, 'sha1') ?? '';
    await expect(openssl(text, 'sha256')).rejects.toThrow('pkeyutl');
  });
});
