import { expect, it } from 'vitest';
import { readCommandLine } from '../src/command-line.ts';

it.each([
  [[], { exit: false, seed: 1, port: 0, folder: undefined }],
  [
    ['--exit', '--seed', '7', '--port', '8080', '--folder', 'demo'],
    { exit: true, seed: 7, port: 8_080, folder: 'demo' },
  ],
  [['--help', '--exit'], 'help'],
  [['-h'], 'help'],
])('%j', (args, options) => {
  expect(readCommandLine(args)).toEqual(options);
});

it.each([['--seed', '-1'], ['--seed', 'x'], ['--port', '65536'], ['--port'], ['--fast'], ['more']])(
  '%j is refused with a reason',
  (...args) => {
    expect(readCommandLine(args)).toHaveProperty('wrong');
  },
);
