import { describe, expect, it } from 'vitest';
import { generateLogins, type GeneratedLogin } from '../src/logins/generate.ts';

const population = { clients: 240, judged: 2_000, attacks: 200 };
const vpn = generateLogins(7, population, 'vpn');
const of = (by: GeneratedLogin['by']): readonly GeneratedLogin[] => vpn.filter((login) => login.by === by);

describe('the generated logins', () => {
  it('are ordered by time, and the same for the same seed only', () => {
    expect(vpn.every(({ atMs }, at) => at === 0 || atMs >= vpn[at - 1]!.atMs)).toBe(true);
    expect(generateLogins(7, population, 'vpn')).toEqual(vpn);
    expect(generateLogins(8, population, 'vpn')).not.toEqual(vpn);
  });

  it('are as many as asked for, and the judged ones have a history', () => {
    expect(of('vpn')).toHaveLength(population.attacks);
    expect(of('client').filter(({ isJudged }) => isJudged)).toHaveLength(population.judged);
    const begun = new Set<string>();
    const first = vpn.filter(({ client }) => !begun.has(client) && begun.add(client));
    expect(first.filter(({ isJudged }) => isJudged)).toEqual([]);
  });

  it('has the same honest logins with every kind of attack', () => {
    const naive = generateLogins(7, population, 'naive').filter(({ by }) => by === 'client');
    expect(naive).toEqual(of('client'));
    expect(generateLogins(7, population, undefined)).toEqual(of('client'));
  });

  it('attacks each client once, with a device that the client does not have', () => {
    expect(new Set(of('vpn').map(({ client }) => client)).size).toBe(population.attacks);
    const honest = new Set(of('client').map(({ storedId }) => storedId));
    expect(of('vpn').filter(({ storedId }) => honest.has(storedId))).toEqual([]);
  });
});
