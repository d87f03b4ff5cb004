import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { differences } from './differences.ts';
import { conformancePage } from './page.ts';
import { coreVectors, suiteNames, suitesLeftOut } from './vectors.ts';
import { differenceOf } from './verdict.ts';

/** What must come out as CEL says, of the core that needs no messages of protocol buffers. */
const shareMin = 0.95;

/**
 * CEL's own conformance corpus (cel-spec 0.25.1) against our checker and compiler. A vector that wants a value must
 * give this value, of this type; one that wants an error must be refused, or be missing.
 */
describe("CEL's conformance corpus", () => {
  const vectors = coreVectors();
  const expected = new Map(differences.flatMap(({ reason, vectors: names }) => names.map((name) => [name, reason])));
  const outcomes = vectors.map((vector) => ({ name: vector.name, difference: differenceOf(vector) }));
  const passed = outcomes.filter(({ difference }) => difference === undefined);
  const share = passed.length / vectors.length;

  it(`passes ${passed.length} of ${vectors.length} core vectors: ${(100 * share).toFixed(1)} %`, () => {
    expect(vectors.length).toBe(1_097);
    expect(share).toBeGreaterThanOrEqual(shareMin);
  });

  it('differs where it is listed, and nowhere else', () => {
    const differing = outcomes.filter(({ difference }) => difference !== undefined);
    expect(differing.filter(({ name }) => !expected.has(name))).toEqual([]);
    const names = new Set(differing.map(({ name }) => name));
    expect([...expected.keys()].filter((name) => !names.has(name))).toEqual([]);
  });

  it('matches the page that `node tools/cel-conformance.ts` writes now', () => {
    const page = new URL('../../../../docs/reference/cel-conformance.md', import.meta.url);
    expect(readFileSync(page, 'utf8')).toBe(conformancePage());
  });

  it('leaves out whole suites only, each with a reason', () => {
    const names = suiteNames();
    expect(Object.keys(suitesLeftOut).filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => suitesLeftOut[name] === undefined)).toEqual(
      'basic comparisons conversions fields fp_math integer_math lists logic macros namespace parse plumbing string timestamps type_deductions unknowns'.split(
        ' ',
      ),
    );
  });
});
