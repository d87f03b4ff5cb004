/**
 * The peer that the bench of logins compares with is the published one: its scores equal the reference scores that the
 * implementation by Wiefling et al. wrote for 900 logins.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Freeman, type FreemanLogin } from '../src/logins/freeman.ts';

/** Columns of a login, and its score. Written by the published implementation (MIT) from generated logins. */
const reference = new URL('freeman-golden.csv', import.meta.url);

interface Row {
  readonly login: FreemanLogin;
  /** Without one where the reference did not score: its warm-up, and first logins. */
  readonly score: number | undefined;
}

function rowsOf(text: string): readonly Row[] {
  return text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [, user, address, asn, country, agent, browser, os, deviceType, score] = line.trimEnd().split(',');
      const login = { user, address, asn, country, agent, browser, os, deviceType } as FreemanLogin;
      return { login, score: score === '' ? undefined : Number(score) };
    });
}

describe("Freeman's score", () => {
  it('equals the 591 reference scores within 1e-9', () => {
    const freeman = new Freeman();
    const differences = rowsOf(readFileSync(reference, 'utf8')).flatMap(({ login, score }) => {
      const own = freeman.score(login);
      freeman.learn(login);
      return score === undefined ? [] : [Math.abs((own ?? Number.NaN) - score)];
    });
    expect(differences).toHaveLength(591);
    expect(Math.max(...differences)).toBeLessThan(1e-9);
  });

  it('is missing for a first login, and higher for what the user never showed', () => {
    const freeman = new Freeman();
    const home = { address: '1', asn: '1', country: 'MX', agent: 'a', browser: 'b', os: 'o', deviceType: 'mobile' };
    expect(freeman.score({ user: 'ana', ...home })).toBeUndefined();
    for (const user of ['ana', 'bob', 'ana', 'bob']) freeman.learn({ user, ...home });
    const usual = freeman.score({ user: 'ana', ...home })!;
    const foreign = freeman.score({ user: 'ana', ...home, address: '9', asn: '9', country: 'NL' })!;
    expect(foreign).toBeGreaterThan(usual);
  });
});
