import { describe, expect, it } from 'vitest';
import { loadPolicy } from '../../src/check/load-policy.ts';
import { writeParam } from '../../src/document/write-param.ts';

const rules = `rules:
  - { reason: 1, name: one, on: [operation], when: order.amount > params.most, then: { action: 2, message: x } }
`;
const own = (text: string): { readonly path: string; readonly text: string } => ({ path: 'own.yaml', text });
const pack = {
  path: 'packs/p.yaml',
  text: `pack: { name: p, version: 1, title: P, description: d }
params:
  most: { type: int, default: 5 }
${rules}`,
};

function written(text: string, value = '7'): string | undefined {
  return writeParam([own(text)], 'most', value)?.text;
}

describe('another value of a parameter', () => {
  it.each([
    ['params: { most: { type: int,  default: 5, unit: EUR } } # kept', 'default: 5', 'default: 7'],
    ['params:\n  # a threshold\n  most:\n    type: int\n    default: 5   # low\n', 'default: 5 ', 'default: 7 '],
    [
      'params:\n  other: { type: int, default: 5 }\n  most: { type: int, default: 5 }\n',
      'most: { type: int, default: 5',
      'most: { type: int, default: 7',
    ],
    ['params:\n  most: { type: decimal, default: 2.50 }\n', '2.50', '7'],
  ])('replaces only that number: %j', (text, was, is) => {
    expect(written(text)).toBe(text.replace(was, is));
  });

  it('replaces the value that another file sets, and leaves the declaration', () => {
    const declares = { path: 'a.yaml', text: `params: { most: { type: int, default: 5 } }\n${rules}` };
    const sets = { path: 'b.yaml', text: 'params: { most: 6 } # for now\n' };
    expect(writeParam([declares, sets], 'most', '7')).toEqual({
      path: 'b.yaml',
      text: 'params: { most: 7 } # for now\n',
    });
  });

  it.each([
    ['use: [p]\n', 'use: [p]\nparams:\n  most: 7\n'],
    ['use: [p]', 'use: [p]\nparams:\n  most: 7\n'],
    [
      'use: [p]\nparams:\n    # others\n    least: { type: int, default: 1 }\n',
      'use: [p]\nparams:\n    most: 7\n    # others\n    least: { type: int, default: 1 }\n',
    ],
    [
      'use: [p]\nparams: { least: { type: int, default: 1 } }\n',
      'use: [p]\nparams: { most: 7, least: { type: int, default: 1 } }\n',
    ],
    ['use: [p]\nparams: {}\n', 'use: [p]\nparams: { most: 7 }\n'],
  ])('of a pack is set in an own file: %j', (text, expected) => {
    const files = [pack, own(text)];
    const changed = writeParam(files, 'most', '7')!;
    expect(changed).toEqual(own(expected));
    const loaded = loadPolicy([pack, changed]);
    expect(loaded.ok && loaded.policy.params.find(({ name }) => name === 'most')?.value).toBe('7');
  });

  it('of an unknown parameter is not written', () => {
    expect(writeParam([own(`params: { least: { type: int, default: 5 } }\n${rules}`)], 'most', '7')).toBeUndefined();
    expect(writeParam([own('params: [')], 'most', '7')).toBeUndefined();
    expect(writeParam([pack], 'most', '7')).toBeUndefined();
  });
});
