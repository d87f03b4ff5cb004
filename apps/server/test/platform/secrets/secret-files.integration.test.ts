/** Secrets in files of the home folder: created once, readable by their owner only. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OperatorError } from '../../../src/platform/observability/operator-error.ts';
import { isAdminToken, loadAdminToken } from '../../../src/platform/secrets/admin-token.ts';
import { masterKeyPath, MasterKeys, retiredKeyPath } from '../../../src/platform/secrets/master-keys.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ringfence-secrets-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const load = (fromEnvironment?: string): MasterKeys => MasterKeys.load({ home, fromEnvironment });
const idsOf = (keys: MasterKeys): readonly string[] => keys.all().map(({ id }) => id);

describe('the master key', () => {
  it('is created at the first start, 0600 in a folder 0700, and read at the next', () => {
    const first = load();
    const next = load();
    expect(first).toMatchObject({ made: true, from: 'file', where: masterKeyPath(home) });
    expect(next.made).toBe(false);
    expect(next.all()).toEqual(first.all());
    expect(first.all()).toMatchObject([{ key: { length: 32 } }]);
    expect(statSync(masterKeyPath(home)).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'secrets')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(home, 'secrets'))).toEqual(['master.key']);
  });

  it.each([0o604, 0o640, 0o660])('is refused if others can read its file (mode %o)', (mode) => {
    load();
    chmodSync(masterKeyPath(home), mode);
    expect(() => load()).toThrow(/can be read by others/);
  });

  it.each([
    ['hex', '0123456789abcdef'.repeat(4)],
    ['base64', Buffer.alloc(32, 3).toString('base64')],
    ['base64 of the URL alphabet', Buffer.alloc(32, 0xff).toString('base64url')],
  ])('from the environment may be %s, and creates no file', (_, text) => {
    const master = load(`${text}\n`);
    expect(master).toMatchObject({ from: 'environment', made: false });
    expect(master.all()).toMatchObject([{ key: { length: 32 } }]);
    expect(readdirSync(home)).toEqual([]);
  });

  it.each([
    ['31 bytes', Buffer.alloc(31).toString('base64')],
    ['33 bytes', Buffer.alloc(33).toString('base64')],
    ['16 bytes in hex', '0'.repeat(32)],
    ['words', 'correct horse battery staple'],
  ])('of %s is refused, without revealing it', (_, text) => {
    let error: unknown;
    try {
      load(text);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(OperatorError);
    expect(String(error)).toContain('expected 32 bytes');
    expect(String(error)).not.toContain(text);
  });

  it('on a full disk asks for space, not for permissions', () => {
    const module = new URL('../../../src/platform/secrets/master-keys.ts', import.meta.url).href;
    const script = `import('${module}').then(({ MasterKeys }) => MasterKeys.load({ home: '${home}' }))`;
    const { stderr } = spawnSync('/bin/sh', ['-c', 'ulimit -f 0; exec "$0" -e "$1"', process.execPath, script]);
    expect(stderr.toString()).toMatch(/master\.key cannot be created: EFBIG[^]*mend: 'Free some space, or set `home`/);
  });

  it('may be two during a rotation, but not three', () => {
    const [a, b, c] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte).toString('base64'));
    expect(load(`${a} ${b}`).all()).toHaveLength(2);
    expect(load(`${a},${b}\n`).all()).toHaveLength(2);
    expect(() => load(`${a} ${b} ${c}`)).toThrow(/contains 3 keys/);
  });

  it('can be rotated: running processes find the new key in the file, and the old one is then moved out', () => {
    const [running, command] = [load(), load()];
    const [old] = idsOf(running);
    const next = command.addToFile().id;
    expect(idsOf(command)).toEqual([old, next]);
    expect(idsOf(load())).toEqual([old, next]);
    expect(idsOf(running)).toEqual([old]);
    expect(running.get(next)?.id).toBe(next);
    expect(running.get('another')).toBeUndefined();

    expect(command.leaveInFile(next)).toEqual([retiredKeyPath(home, old!)]);
    expect(idsOf(load())).toEqual([next]);
    expect(statSync(masterKeyPath(home)).mode & 0o777).toBe(0o600);
    expect(statSync(retiredKeyPath(home, old!)).mode & 0o777).toBe(0o600);
    expect(idsOf(load(readFileSync(retiredKeyPath(home, old!), 'utf8')))).toEqual([old]);
    expect(command.leaveInFile(next)).toEqual([retiredKeyPath(home, old!)]);
    expect(load().leaveInFile(next)).toEqual([]);
    expect(readdirSync(join(home, 'secrets')).toSorted()).toEqual([`master-key-${old}.retired`, 'master.key']);
  });

  it('in a damaged file is refused, not replaced', () => {
    load();
    writeFileSync(masterKeyPath(home), 'damaged');
    expect(() => load()).toThrow(/is not a master key/);
    expect(readFileSync(masterKeyPath(home), 'utf8')).toBe('damaged');
  });
});

describe('the admin token', () => {
  it('is created once', () => {
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
