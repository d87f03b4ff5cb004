import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { everyCommand } from '../../src/cli/every-command.ts';
import { ringfence } from '../support/terminal.ts';

const commands = (await everyCommand()).map(({ words }) => words);

describe('the command line', () => {
  it.each(commands)('%s --help shows examples and exit codes, and exits with 0', async (words) => {
    const { code, out } = await ringfence(`${words} --help`);
    expect(code).toBe(0);
    expect(out).toContain(`Usage: ringfence ${words}`);
    expect(out).toMatch(new RegExp(`Examples:\\n {2}.*ringfence ${words}`));
    expect(out).toContain('Exit codes:\n  0 success; 1 ');
  });

  it('prints its version', async () => {
    expect(await ringfence('--version')).toMatchObject({ code: 0, out: '0.1.0\n' });
  });
});

describe('an invalid command line exits with 2 and a hint', () => {
  it.each([
    ['', 'Usage: ringfence'],
    ['servr', "unknown command 'servr'"],
    ['key', 'Usage: ringfence key'],
    ['key revoke', "missing required argument 'key'"],
    ['serve --prot 1', "unknown option '--prot'"],
    ['serve --port 80000', 'Expected 0 to 65535.'],
    ['workspace create acme -e staging', 'Allowed choices are production, development.'],
    ['workspace set timezone=UTC', "missing required argument 'settings'"],
    ['deliveries redeliver', 'Give either action ids or --state.'],
    ['deliveries redeliver --state executed', 'add --again'],
    ['deliveries release --state capped --again', "unknown option '--again'"],
    ['events explain evt_1_1 --rule many', '--rule: expected a whole number'],
    ['events tail --last many', '--last: expected a whole number from 0 to 200'],
    ['client erase alice', 'Repeat with --yes.'],
    ['pepper import', 'Repeat with --yes.'],
    ['policy activate one', '<version>: expected a whole number'],
  ])('%s', async (line, hint) => {
    const { code, err } = await ringfence(line === '' ? [] : line);
    expect(code).toBe(2);
    expect(err).toContain(hint);
  });
});

describe('the program', () => {
  it('requires the Node version of package.json', () => {
    const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    const [, oldest] = /const oldest = \[(\d+, \d+)\];/.exec(read('bin/ringfence.js')) ?? [];
    const { engines } = JSON.parse(read('../../package.json')) as { engines: { node: string } };
    expect(engines.node).toBe(`>=${oldest?.replace(', ', '.')}`);
  });
});
