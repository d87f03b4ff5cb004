import { describe, expect, it } from 'vitest';
import { currencyOf, factDefinition, factDefinitions, textOf } from '../../src/facts/facts.ts';

describe('the table of facts', () => {
  it('contains each fact once, and no fact that is a group of others', () => {
    const paths = factDefinitions.map((fact) => fact.path);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths.filter((path) => paths.some((other) => other.startsWith(`${path}.`)))).toEqual([]);
  });

  it('has paths in the form of conditions', () => {
    for (const { path } of factDefinitions) expect(path).toMatch(/^[a-z][A-Za-z0-9]*(\.[a-z][A-Za-z0-9]*)?$/);
  });

  it('has a sentence for each', () => {
    for (const { doc } of factDefinitions) expect(doc).toMatch(/^[A-Z`0-9].*\.$/s);
  });

  it('has companion facts on the same events', () => {
    for (const [path, other] of [...currencyOf, ...textOf]) {
      expect(factDefinition(other)?.on).toEqual(factDefinition(path)?.on);
    }
  });
});
