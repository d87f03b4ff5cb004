/** Secrets kept in files of the home folder: made once, for their owner's eyes only. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OperatorError } from '../../src/operations/operator-error.ts';
import { isAdminToken, loadAdminToken } from '../../src/secrets/admin-token.ts';
import { loadMasterKey, masterKeyPath } from '../../src/secrets/master-key.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ringfence-secrets-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('the master key', () => {
  it('is made at the first start, 0600 in a folder 0700, and read at the next', () => {
    const first = loadMasterKey(home, undefined);
    const next = loadMasterKey(home, undefined);
    expect(first).toMatchObject({ made: true, from: 'file', path: masterKeyPath(home) });
    expect(next).toMatchObject({ made: false, id: first.id });
    expect(next.key).toEqual(first.key);
    expect(first.key).toHaveLength(32);
    expect(statSync(masterKeyPath(home)).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'secrets')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(home, 'secrets'))).toEqual(['master.key']);
  });

  it.each([0o604, 0o640, 0o660])('is refused when others can read its file (mode %o)', (mode) => {
    loadMasterKey(home, undefined);
    chmodSync(masterKeyPath(home), mode);
    expect(() => loadMasterKey(home, undefined)).toThrow(/can be read by others/);
  });

  it.each([
    ['hex', '0123456789abcdef'.repeat(4)],
    ['base64', Buffer.alloc(32, 3).toString('base64')],
    ['base64 of the URL alphabet', Buffer.alloc(32, 0xff).toString('base64url')],
  ])('from the environment may be %s, and makes no file', (_, text) => {
    const master = loadMasterKey(home, `${text}\n`);
    expect(master).toMatchObject({ from: 'environment', made: false });
    expect(master.key).toHaveLength(32);
    expect(readdirSync(home)).toEqual([]);
  });

  it.each([
    ['31 bytes', Buffer.alloc(31).toString('base64')],
    ['33 bytes', Buffer.alloc(33).toString('base64')],
    ['16 bytes in hex', '0'.repeat(32)],
    ['words', 'correct horse battery staple'],
  ])('of %s is refused, and not shown', (_, text) => {
    let error: unknown;
    try {
      loadMasterKey(home, text);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(OperatorError);
    expect(String(error)).toContain('expected 32 bytes');
    expect(String(error)).not.toContain(text);
  });

  it('in a damaged file is refused rather than made anew', () => {
    loadMasterKey(home, undefined);
    writeFileSync(masterKeyPath(home), 'damaged');
    expect(() => loadMasterKey(home, undefined)).toThrow(/is not a master key/);
    expect(readFileSync(masterKeyPath(home), 'utf8')).toBe('damaged');
  });
});

describe('the admin token', () => {
  it('is made once', () => {
    const first = loadAdminToken(home, '');
    expect(first.token).toMatch(/^rf_admin_[0-9A-Za-z]{43}$/);
    expect(loadAdminToken(home, undefined).token).toBe(first.token);
  });

  it('is compared as a whole', () => {
    const token = loadAdminToken(home, 'a'.repeat(40));
    expect(isAdminToken(token, 'a'.repeat(40))).toBe(true);
    for (const wrong of ['', 'a'.repeat(39), 'a'.repeat(41), `${'a'.repeat(39)}b`]) {
      expect(isAdminToken(token, wrong)).toBe(false);
    }
  });

  it.each(['short', 'x'.repeat(31), `${'x'.repeat(40)} y`])('%s is refused', (text) => {
    expect(() => loadAdminToken(home, text)).toThrow(OperatorError);
  });
});
