import type { Facts } from '@ringfence/policy';
import { expect, it } from 'vitest';
import { KeyText } from '../../src/store/memory/key-text.ts';
import { KeyPool, writeGroupKeys } from '../../src/plan/group-key.ts';
import type { NamingFact } from '../../src/plan/planned-group.ts';

const client: NamingFact = { slot: 0, isSubject: true };
const payee: NamingFact = { slot: 1, isSubject: false };
const amount: NamingFact = { slot: 2, isSubject: false };
const groups = [[client], [client, payee], [amount, client], [client, payee]];

/** The names of the groups, from the facts of consecutive events. */
function namesOf(...events: readonly { readonly facts: Facts; readonly subject?: string }[]): unknown {
  const pool = new KeyPool(() => new KeyText([1, 2]));
  const keys = pool.keysOf(groups);
  return events.map(({ facts, subject }) => {
    writeGroupKeys(keys, { facts, subject });
    return groups.map((by) => {
      const key = pool.keyOf(by);
      return key.isMissing ? undefined : key.text;
    });
  });
}

it('a group key consists of the facts that name an entity, and is missing if one of them is', () => {
  const whole = { facts: [undefined, 'P', 12], subject: 'ana' };
  const names = ['ana', '3:ana1:P', '2:123:ana', '3:ana1:P'];
  expect(
    namesOf(whole, { facts: [undefined, undefined, 12], subject: 'ana' }, { facts: ['ana', 'P', 12] }, whole),
  ).toEqual([names, ['ana', undefined, '2:123:ana', undefined], [undefined, undefined, undefined, undefined], names]);
});

it('a group key has the hash of its text', () => {
  const pool = new KeyPool(() => new KeyText([1, 2]));
  const keys = pool.keysOf(groups);
  writeGroupKeys(keys, { facts: [undefined, 'P', 12], subject: 'ana' });
  const again = new KeyText([1, 2]);
  for (const by of groups) {
    const key = pool.keyOf(by);
    again.set(key.text);
    expect(key.hash).toBe(again.hash);
  }
});
