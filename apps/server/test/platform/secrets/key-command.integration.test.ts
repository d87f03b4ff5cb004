/** The master key from a command: a real program in place of a vault's. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MasterKeys } from '../../../src/platform/secrets/master-keys.ts';
import { OperatorError } from '../../../src/platform/observability/operator-error.ts';
import { createWorkspace } from '../../../src/tenancy/workspaces/workspace-store.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';
import { ringfence } from '../../support/terminal.ts';

const key = randomBytes(32).toString('base64');
let folder: string;
let home: Installation;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-key-'));
  home = await makeInstallation();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await home.close();
});

/** A program in the language of the shell. */
function program(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o700 });
  return path;
}

function load(path: string, given: readonly string[] = [], timeoutSeconds = 10): MasterKeys {
  const command = { exec: [path, ...given], timeoutSeconds };
  return MasterKeys.load({ home: '/nowhere', fromEnvironment: undefined, command }, false);
}

/** What a start that gets no key says. */
function refusal(work: () => MasterKeys): string {
  try {
    work();
  } catch (error) {
    if (error instanceof OperatorError) return error.message;
    throw error;
  }
  return expect.unreachable('a key was loaded');
}

describe('a command', () => {
  it('provides the key, and both keys during a rotation; arguments are not read by a shell', () => {
    const keys = load(program('prints', 'echo "$1"'), [key]);
    expect(keys).toMatchObject({ from: 'command', made: false, where: `masterKey.exec (${join(folder, 'prints')})` });
    expect(keys.all().map((one) => one.key.toString('base64'))).toEqual([key]);
    const next = randomBytes(32).toString('hex');
    expect(load(join(folder, 'prints'), [`${key} ${next}`]).all()).toHaveLength(2);
    expect(refusal(() => load(join(folder, 'prints'), ['$HOME;x']))).toContain('found 7 characters');
  });

  it('is run once for a process: its threads get what it printed', () => {
    const path = program('counts', `echo run >> ${join(folder, 'runs')}\necho ${key}`);
    const { source } = load(path);
    rmSync(path);
    expect(MasterKeys.load(structuredClone(source), false).all()).toHaveLength(1);
  });

  it('that fails is told with its messages, and never with its output or with what looks like a key', () => {
    const said = refusal(() => load(program('fails', `echo ${key}\necho "permission denied for ${key}" >&2\nexit 2`)));
    expect(said).toBe(
      `The command of masterKey.exec failed with exit code 2: ${join(folder, 'fails')}. It says: permission denied for …`,
    );
  });

  it.each([
    ['hangs', 'sleep 600', 'did not end within 1 s'],
    ['ignores', "trap '' TERM\nwhile true; do sleep 1; done", 'did not end within 1 s'],
    ['floods', 'while true; do echo x; done', 'printed more than 1024 bytes'],
    ['silent', '', 'printed nothing'],
    ['wrong', 'echo tomorrow', 'is not a master key: expected 32 bytes as 64 hex digits or 44 characters of base64'],
    ['short', 'head -c 16 /dev/zero | base64', 'is not a master key'],
    ['killed', 'kill -9 $$', 'was ended by SIGKILL'],
  ])('that is %s is refused', (name, text, why) => {
    expect(refusal(() => load(program(name, text), [], 1))).toContain(why);
  });

  it('that does not exist is refused', () => {
    expect(refusal(() => load(join(folder, 'none')))).toContain('could not be started (ENOENT)');
  });

  it('gets the environment without what only the service needs', () => {
    const [own, vault] = ['RINGFENCE_ADMIN_TOKEN', 'VAULT_ADDR'];
    Object.assign(process.env, { [own]: 'secret', [vault]: 'https://vault.example' });
    try {
      const text = `echo "[$${own}] [$${vault}]" >&2\nexit 1`;
      expect(refusal(() => load(program('environment', text)))).toContain('[] [https://vault.example]');
    } finally {
      delete process.env[own];
      delete process.env[vault];
    }
  });
});

describe('the configuration file', () => {
  async function run(member: string, environment: Readonly<Record<string, string>> = {}) {
    writeFileSync(join(folder, 'ringfence.yaml'), `database: external\nmasterKey: ${member}\n`);
    const { DATABASE_URL } = home.environment;
    return ringfence('workspace list --config ringfence.yaml', {
      environment: { DATABASE_URL: DATABASE_URL!, ...environment },
      folder,
    });
  }

  it('names the command, with which every command works', async () => {
    const settings = { owners: { settings: 'api', keys: 'api', policy: 'api' } as const, settings: {} };
    await createWorkspace(home.deps, { name: 'vaulted', environment: 'production', ...settings } as never);
    const text = home.environment['RINGFENCE_MASTER_KEY']!;
    const said = await run(`{ exec: [${program('vault', `echo ${text}`)}] }`);
    expect([said.err, said.code]).toEqual(['', 0]);
    expect(said.out).toContain('vaulted');
    const other = await run(`{ exec: [${program('other', `echo ${key}`)}] }`);
    expect(other.err).toContain('is not the one that sealed this database');
    expect(other.err).not.toContain(key);
  });

  it('must name it by its absolute path, and without RINGFENCE_MASTER_KEY', async () => {
    expect((await run('{ exec: [vault, read] }')).err).toContain('the absolute path of a program first');
    expect((await run('{ exec: [] }')).err).toContain('masterKey.exec: expected 1 to 64 items');
    const both = await run('{ exec: [/bin/vault] }', { RINGFENCE_MASTER_KEY: key });
    expect(both.err).toContain('masterKey: expected no RINGFENCE_MASTER_KEY beside it');
  });
});
