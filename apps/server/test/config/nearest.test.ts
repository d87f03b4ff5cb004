import { expect, it } from 'vitest';
import { nearest } from '../../src/config/nearest.ts';

const known = ['licenseKeys', 'listen', 'management', 'timezone', 'url'];

it.each([
  ['licencekeys', 'licenseKeys'],
  ['license_keys', 'licenseKeys'],
  ['lsiten', 'listen'],
  ['Listen', 'listen'],
  ['mangement', 'management'],
  ['timeZone', 'timezone'],
  ['urk', 'url'],
  ['policy', undefined],
  ['', undefined],
])('%s was meant to be %s', (word, meant) => {
  expect(nearest(word, known)).toBe(meant);
});
