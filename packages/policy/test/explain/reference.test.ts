import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { definitions } from '../../src/compile/definitions.ts';
import { completions } from '../../src/explain/completions.ts';
import { factDefinitions, outcomeFactDefinitions } from '../../src/facts/facts.ts';
import { policyReference } from '../../src/explain/reference.ts';
import { featureDefinitions, featureDoc } from '../../src/sections/feature-kinds.ts';
import { featureMembers } from '../../src/sections/feature-members.ts';
import { check } from '../evaluate.ts';
import { mistakesOf } from '../load.ts';

describe('the reference page', () => {
  it('is the current output of `node tools/policy-reference.ts`', () => {
    const page = new URL('../../../../docs/reference/policy-facts.md', import.meta.url);
    expect(readFileSync(page, 'utf8')).toBe(policyReference());
  });
});

describe('the table of functions', () => {
  it.each(definitions)('has an example of $signature that checks', ({ name, example }) => {
    const plain = check(example);
    const condition = plain.compiled === undefined ? `${example} == ${example}` : example;
    expect(check(condition).mistakes).toEqual([]);
    expect(example).toContain(`${name}(`);
  });

  it.each(definitions)('describes $signature in whole sentences', ({ doc }) => {
    expect(doc).toMatch(/^[A-Z`].*\.$/);
  });

  it('has each signature once', () => {
    const signatures = definitions.map(({ signature }) => signature);
    expect(new Set(signatures).size).toBe(signatures.length);
  });
});

describe('the table of kinds of features', () => {
  it.each(featureDefinitions)('has an example of $kind that checks', ({ kind, example }) => {
    const divided = ['clientAmount1h', 'clientAmount30d'].map(
      (name, at) => `  ${name}: { sum: order.amount, by: client.id, over: ${at === 0 ? '1h' : '30d'} }\n`,
    );
    const text = `features:\n  f: { ${example} }\n${kind === 'ratio' ? divided.join('') : ''}rules:
  - { reason: 1, name: r, when: has(f), then: { action: 2 } }\n`;
    expect(mistakesOf(text)).toEqual([]);
    expect(example).toContain(`${kind}: `);
  });

  it.each(featureDefinitions)('describes $kind in whole sentences', ({ doc }) => {
    expect(doc).toMatch(/^[A-Z].*\.$/);
  });

  it('describes the handling of currencies for each kind that reads a fact', () => {
    for (const definition of featureDefinitions) {
      const isOfFact = definition.of !== 'true' && definition.of !== 'feature';
      expect(featureDoc(definition).includes('`order.amount`')).toBe(isOfFact);
    }
  });
});

describe('the table of members of a feature', () => {
  it.each(featureMembers)('has an example of $name, and whole sentences', ({ name, example, doc }) => {
    expect(example).toContain(`${name}: `);
    expect(doc).toMatch(/^[A-Z].*\.$/);
  });

  it('names for each option the kind that it belongs to', () => {
    const detail = (label: string): string | undefined =>
      completions().find((one) => one.label === label && one.kind === 'featureMember')?.detail;
    expect(detail('halfLife')).toBe('of profile');
    expect(detail('over')).toBe('of a feature');
  });
});

describe('completions of an editor', () => {
  it('show the value of a kind of feature, and its other fields', () => {
    const detail = (label: string): string | undefined =>
      completions().find((one) => one.label === label && one.kind === 'featureKind')?.detail;
    expect(detail('percentile')).toBe('a number, at, by, over');
    expect(detail('profile')).toBe('a number, halfLife, by');
    expect(detail('ratio')).toBe('a feature, to');
  });

  it('are every fact, every word of features and every function, as plain data', () => {
    const offered = completions();
    expect(offered.map(({ label }) => label)).toEqual([
      ...[...factDefinitions, ...outcomeFactDefinitions].map(({ path }) => path),
      ...featureDefinitions.map(({ kind }) => kind),
      ...featureMembers.map(({ name }) => name),
      ...definitions.map(({ name }) => name),
    ]);
    expect(JSON.parse(JSON.stringify(offered))).toEqual(offered);
  });

  it('show the type that a method belongs to', () => {
    const join = completions().find(({ label }) => label === 'join');
    expect(join).toMatchObject({ kind: 'method', receiver: 'list<string>', detail: 'list<string>.join(): string' });
  });
});
