/** Whoever tries tokens learns nothing from how long a refusal takes: not how far the token came. */
import { expect, it } from 'vitest';
import { deviceFacts } from '../src/device-facts.ts';
import { vectorKeys, vectors } from './support/vectors.ts';

const setting = { keys: vectorKeys, origins: [], channelId: 2, nowMs: 1_795_300_236_000 };
const honest = vectors.opened[0]!.token;
const [head = '', , iv = '', ciphertext = '', tag = ''] = honest.split('.');
const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as { readonly epk: { readonly x: string } };

function withHeader(changes: object): string {
  const changed = Buffer.from(JSON.stringify({ ...header, ...changes })).toString('base64url');
  return [changed, '', iv, ciphertext, tag].join('.');
}

/** Refused earlier and earlier: by content, by tag, by point, by key, by algorithm, by form, by length. */
const refused: readonly (readonly [name: string, token: string])[] = [
  ...vectors.refusedContent.map(({ name, token }) => [`content: ${name}`, token] as const),
  ['another tag', [head, '', iv, ciphertext, 'A'.repeat(tag.length)].join('.')],
  ['another ciphertext', [head, '', iv, `AAAA${ciphertext.slice(4)}`, tag].join('.')],
  ['a point off the curve', withHeader({ epk: { ...header.epk, y: header.epk.x } })],
  ['a key of somebody else', withHeader({ kid: 'nobody' })],
  ['another algorithm', withHeader({ alg: 'dir' })],
  ['a tag that was cut', [head, '', iv, ciphertext, tag.slice(4)].join('.')],
  ['no token', 'x'.repeat(honest.length)],
  ['what is too long', 'x'.repeat(100_000)],
];

const rounds = 400;
/** Of one to the other: without the decoy they differ by a factor of 300, and by one of 1.6 for a point off the curve. */
const ratioMax = 1.4;

it('takes as long for each token that is refused, wherever it fails', () => {
  const times = refused.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    // In turn, so that what else the machine does meets all of them alike.
    for (const [at, [name, token]] of refused.entries()) {
      const beganMs = performance.now();
      const facts = deviceFacts(token, setting);
      times[at]!.push(performance.now() - beganMs);
      expect(facts, name).toEqual({ 'device.state': 'undecodable' });
    }
  }
  // The lower quartile: what a call takes that nothing came between.
  const usual = times.map((one) => one.toSorted((a, b) => a - b)[rounds / 4]!);
  const named = Object.fromEntries(refused.map(([name], at) => [name, usual[at]]));
  expect(Math.max(...usual) / Math.min(...usual), JSON.stringify(named)).toBeLessThan(ratioMax);
});
