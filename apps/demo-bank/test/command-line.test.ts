import { expect, it } from 'vitest';
import { readCommandLine } from '../src/command-line.ts';

it.each([
  [[], { exit: false, seed: 1, port: 0 }],
  [['--exit', '--seed', '7', '--port', '8080'], { exit: true, seed: 7, port: 8_080 }],
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
