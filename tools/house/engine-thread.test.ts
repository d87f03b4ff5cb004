/** The bench measures the engine as the host runs it. It may not import the host, so both say how. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { root } from './source-file.ts';

const host = readFileSync(`${root}/apps/server/src/decide/engine-host.ts`, 'utf8');
const bench = readFileSync(`${root}/bench/src/measure/in-thread.ts`, 'utf8');
const hostChain = readFileSync(`${root}/apps/server/src/decide/batch.ts`, 'utf8');
const benchChain = readFileSync(`${root}/bench/src/engine/decide.ts`, 'utf8');

/** The flags, in their order, and the room for the young: what their names stand for. */
function toldToV8(text: string): readonly (string | undefined)[] {
  const names = text.matchAll(/(?:setFlagsFromString\(|maxYoungGenerationSizeMb: )(\w+)/g);
  return [...names].map(([, name]) => new RegExp(`^const ${name} = (.+);$`, 'm').exec(text)?.[1]);
}

it('V8 is told the same by the bench as by the engine host', () => {
  expect(toldToV8(host)).toEqual([expect.any(String), expect.any(String), expect.any(String)]);
  expect(toldToV8(bench)).toEqual(toldToV8(host));
});

it.each([
  ['another number', bench.replace(/youngMb = \d+/, 'youngMb = 1')],
  ['another flag', bench.replace('-percent=', '-percent=1')],
  ['a flag less', bench.replace('setFlagsFromString(allYoung)', '')],
])('%s is found', (_, text) => {
  expect(text).not.toBe(bench);
  expect(toldToV8(text)).not.toEqual(toldToV8(host));
});

/** How many decisions are chained into the SHA-256 in one go. */
function chainedIn(text: string): string | undefined {
  return /^const chainedTogether = (\d+);$/m.exec(text)?.[1];
}

it('as many decisions are chained together by the bench as by the engine host', () => {
  expect(chainedIn(hostChain)).toMatch(/^\d+$/);
  expect(chainedIn(benchChain)).toBe(chainedIn(hostChain));
});
