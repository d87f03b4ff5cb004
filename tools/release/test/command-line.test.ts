import { expect, it } from 'vitest';
import { readCommandLine } from '../command-line.ts';

it('has defaults for a release', () => {
  expect(readCommandLine([])).toEqual({ into: undefined, signingKey: undefined, uncommitted: false });
});

it('reads its options', () => {
  expect(readCommandLine(['--into', 'out', '--signing-key', 'key.pem', '--uncommitted'])).toEqual({
    into: 'out',
    signingKey: 'key.pem',
    uncommitted: true,
  });
});

it.each([['--sign'], ['folder'], ['--into']])('refuses %s', (argument) => {
  expect(readCommandLine([argument])).toEqual({ wrong: expect.any(String) });
});
