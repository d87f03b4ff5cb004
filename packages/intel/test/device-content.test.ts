/** Our reader of the content compared with the published schema: both accept the same. */
import type { JsonValue } from '@ringfence/contract';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { Compile } from 'typebox/schema';
import { expect, it } from 'vitest';
import { readContent } from '../src/device-content.ts';
import { bareContent } from './support/made-token.ts';

const file = new URL('../../../docs/reference/device-content.schema.json', import.meta.url);
const published = JSON.parse(readFileSync(file, 'utf8')) as {
  properties: Record<string, object> & { signals: { properties?: object } };
};
// A single signal of the wrong type counts as failed, and affects nothing else.
delete published.properties.signals.properties;
const schema = Compile(published);

const claim = { id: 'HjPs_PKRSV2w0PlA3i1hlg', createdAt: 1_780_000_000, found: ['indexedDB'] };
const proof = `eyJ9.eyJ9.${'A'.repeat(86)}`;
const odd = [null, true, 0, 1, 2, -1, 1.5, 1e11, '', 'essential', 'full', 'off', 'a/1', 'A/1', 'blocked', [], [1], {}];
const texts = ['x'.repeat(513), 'AAECAwQFBgcICQoLDA0ODw', 'AAECAwQFBgcICQoLDA0OD'];
const claims = [
  { proof },
  { proof: 'eyJ9' },
  { absent: 'off' },
  { absent: 'why' },
  { found: [] },
  { found: [1] },
  { found: ['x'.repeat(65)] },
  { found: Array.from({ length: 9 }, () => 'a') },
  { id: 'short' },
  { createdAt: -1 },
];
const reasons = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [`s${number}`, 'failed']));
const maps = [
  { absent: 'off' },
  { absent: 'why' },
  { fonts: 'failed' },
  { fonts: 'perhaps' },
  reasons(128),
  reasons(129),
];
const values: readonly unknown[] = [...odd, ...texts, ...maps, claim, ...claims.map((one) => ({ ...claim, ...one }))];
const missing = Symbol('missing');

it('the reader accepts exactly what the schema accepts', () => {
  const taken = { yes: 0, no: 0 };
  const change = fc.record({
    member: fc.constantFrom(...Object.keys(bareContent), 'more'),
    value: fc.constantFrom<unknown>(missing, ...values),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 2 }), (changes) => {
      const content: Record<string, unknown> = { ...bareContent };
      for (const { member, value } of changes) {
        if (value === missing) delete content[member];
        else content[member] = value;
      }
      const isRead = readContent(content as JsonValue) !== undefined;
      taken[isRead ? 'yes' : 'no']++;
      expect(isRead).toBe(schema.Check(content));
    }),
    { seed: 1, numRuns: 5_000 },
  );
  expect(taken.yes).toBeGreaterThan(500);
  expect(taken.no).toBeGreaterThan(500);
});
