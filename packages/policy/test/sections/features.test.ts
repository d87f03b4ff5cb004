import { describe, expect, it } from 'vitest';
import type { Feature } from '../../src/policy.ts';
import { featureDefinitions } from '../../src/sections/feature-kinds.ts';
import { mistakesOf, policyOf } from '../load.ts';

const reading = "rules:\n  - { reason: 1, name: r, when: 'has(f)', then: { action: 2 } }\n";

function feature(fields: string): Feature {
  const [found] = policyOf(`${reading}features:\n  f: ${fields}`).features;
  if (found === undefined) throw new Error('one feature is expected');
  return found;
}

function mistake(fields: string, name = 'f'): string | undefined {
  return mistakesOf(`features:\n  ${name}: ${fields}`).find((found) => !found.includes('warning'));
}

describe('a feature', () => {
  it.each([
    ['{ count: true, by: client.id, over: 1h }', 'count', 'int'],
    ['{ sum: order.amount, by: client.id, over: 24h }', 'sum', 'decimal'],
    ['{ avg: order.amount, by: client.id, over: 30d }', 'avg', 'decimal'],
    ['{ avg: session.operations, by: client.id, over: 30d }', 'avg', 'double'],
    ['{ min: session.operations, by: client.id, over: 90d }', 'min', 'int'],
    ['{ max: order.amount, by: client.id, over: 1m }', 'max', 'decimal'],
    ['{ distinct: payee.id, by: client.id, over: 1h }', 'distinct', 'int'],
    ['{ firstSeen: true, by: client.id }', 'firstSeen', 'duration'],
    ['{ lastSeen: true, by: client.id }', 'lastSeen', 'duration'],
    ['{ stddev: order.amount, by: client.id, over: 30d }', 'stddev', 'decimal'],
    ['{ stddev: session.operations, by: client.id, over: 30d }', 'stddev', 'double'],
    ['{ median: order.amount, by: client.id, over: 30d }', 'median', 'decimal'],
    ['{ percentile: order.amount, at: 99.5, by: client.id, over: 30d }', 'percentile', 'decimal'],
    ['{ previous: payee.id, by: client.id, over: 90d }', 'previous', 'string'],
    ['{ previous: ip.valid, by: client.id, over: 90d }', 'previous', 'bool'],
    ['{ rate: true, per: 1h, by: client.id, over: 7d }', 'rate', 'double'],
    ['{ rate: order.amount, per: 1d, by: client.id, over: 30d }', 'rate', 'decimal'],
    ['{ topShare: payee.id, by: client.id, over: 30d }', 'topShare', 'double'],
    ['{ habit: event.hour, by: client.id, over: 90d }', 'habit', 'double'],
    ['{ count: true, by: [client.id, event.weekday], over: 90d }', 'count', 'int'],
    ['{ profile: order.amount, by: client.id, halfLife: 30d }', 'profile', 'double'],
    ['{ fraudShare: true, after: 2d, by: payee.id, over: 90d }', 'fraudShare', 'double'],
    ['{ fraudRun: true, after: 7d, by: payee.id, over: 90d }', 'fraudRun', 'int'],
    ['{ fraudRunAge: true, after: 7d, by: payee.id, over: 90d }', 'fraudRunAge', 'duration'],
    ['{ sinceFraud: true, after: 7d, by: payee.id, over: 90d }', 'sinceFraud', 'duration'],
    ['{ sinceClear: true, after: 7d, by: payee.id, over: 90d }', 'sinceClear', 'duration'],
  ])('%s', (fields, kind, type) => {
    expect(feature(fields)).toMatchObject({ kind, type });
  });

  it.each([
    ['{ count: true, by: client.id, over: 1h }', ['login', 'logout', 'operation']],
    ['{ count: true, by: [client.id, payee.id], over: 1h }', ['operation']],
    ['{ distinct: publicIp, by: client.id, over: 1h }', ['login', 'logout']],
    ["{ count: true, by: client.id, over: 1h, where: 'order.amount > 5' }", ['operation']],
    ["{ count: true, by: client.id, over: 1h, where: 'has(order.amount)' }", ['login', 'logout', 'operation']],
    ['{ distinct: publicIp, by: client.id, over: 1h, on: login }', ['login']],
  ])('%s is updated by %s', (fields, on) => {
    expect([...feature(fields).on]).toEqual(on);
  });

  it('keeps numbers of money per currency, and counts its values across currencies', () => {
    const ofMoney = (kind: string, option = ''): boolean =>
      feature(`{ ${kind}: order.amount, ${option} by: client.id }`).currencySlot !== undefined;
    const over = 'over: 30d,';
    const numbers = ['sum', 'avg', 'min', 'max', 'stddev', 'median', 'previous'];
    expect(numbers.filter((kind) => !ofMoney(kind, over))).toEqual([]);
    expect(ofMoney('percentile', `at: 95, ${over}`)).toBe(true);
    expect(ofMoney('rate', `per: 1h, ${over}`)).toBe(true);
    expect(ofMoney('profile', 'halfLife: 30d,')).toBe(true);
    expect(['distinct', 'topShare', 'habit'].filter((kind) => ofMoney(kind, over))).toEqual([]);
  });

  it('that is a ratio has no state, and may be declared before the features that it divides', () => {
    const { features, ratios, slots } = policyOf(
      `${reading}features:
  f: { ratio: hour, to: month }
  hour: { sum: order.amount, by: client.id, over: 1h }
  month: { count: true, by: client.id, over: 30d }`,
    );
    expect(features.map(({ name }) => name)).toEqual(['hour', 'month']);
    const of = { name: 'hour', slot: slots.of('hour'), type: 'decimal' };
    const to = { name: 'month', slot: slots.of('month'), type: 'int' };
    expect(ratios).toEqual([{ name: 'f', slot: slots.of('f'), of, to }]);
    expect(
      mistakesOf(`${reading}features:
  f: { ratio: hour, to: month }
  hour: { sum: order.amount, by: client.id, over: 1h }
  month: { count: true, by: client.id, over: 30d }`),
    ).toEqual([]);
  });

  it('that is a ratio has no other fields, and divides existing features with state', () => {
    const text = (fields: string): string => `features:
  f: ${fields}
  hour: { count: true, by: client.id, over: 1h }
  last: { previous: payee.id, by: client.id, over: 1h }
  g: { ratio: hour, to: hour }`;
    const first = (fields: string): string | undefined =>
      mistakesOf(text(fields)).find((found) => !found.includes('warning'));
    expect(first('{ ratio: hour, to: hour, over: 1h }')).toBe(
      '2:37 ratio has no over => remove over: its features define it',
    );
    expect(first('{ ratio: hour, to: hour, excluding: this }')).toBe(
      '2:42 ratio has no excluding => remove excluding: its features define it',
    );
    expect(first('{ ratio: hour, to: huor }')).toBe('2:25 there is no feature huor => hour');
    expect(first('{ ratio: hour, to: g }')).toBe('2:25 g is a ratio itself => the features that it is made of');
    expect(first('{ ratio: hour, to: last }')).toBe(
      '2:25 last is a string, and a ratio divides numbers => a feature that is a number',
    );
  });

  it('stores the same for a rate as for its count or sum, and for all percentiles', () => {
    const fingerprint = (fields: string): string => feature(fields).fingerprint;
    const window = 'by: client.id, over: 7d';
    expect(fingerprint(`{ rate: true, per: 1h, ${window} }`)).toBe(fingerprint(`{ count: true, ${window} }`));
    expect(fingerprint(`{ rate: order.amount, per: 1h, ${window} }`)).toBe(
      fingerprint(`{ sum: order.amount, ${window} }`),
    );
    expect(fingerprint(`{ median: order.amount, ${window} }`)).toBe(
      fingerprint(`{ percentile: order.amount, at: 95, ${window} }`),
    );
    expect(fingerprint(`{ topShare: payee.id, ${window} }`)).toBe(fingerprint(`{ habit: payee.id, ${window} }`));
    expect(fingerprint('{ profile: order.amount, by: client.id, halfLife: 30d }')).not.toBe(
      fingerprint('{ profile: order.amount, by: client.id, halfLife: 31d }'),
    );
  });

  it('leaves out the event itself with `excluding: this`, and stores the same', () => {
    const plain = feature('{ avg: order.amount, by: client.id, over: 30d }');
    const without = feature('{ avg: order.amount, by: client.id, over: 30d, excluding: this }');
    expect([plain.excludesThis, without.excludesThis]).toEqual([false, true]);
    expect(without.fingerprint).toBe(plain.fingerprint);
  });

  it('leaves out the event only if its kind counts it', () => {
    const withState = featureDefinitions.filter(({ kind }) => kind !== 'ratio');
    const found = withState.map(({ example }) => mistake(`{ ${example}, excluding: this }`)?.replace(/^2:\d+ /, ''));
    const refused = withState.map(({ kind, excludesThis }) =>
      excludesThis === true ? `${kind} never counts the event on which it is read => remove excluding` : undefined,
    );
    expect(found).toEqual(refused);
    expect(found.filter((one) => one !== undefined).length).toBe(9);
  });

  it('decides differently if it computes another value of the same state', () => {
    const canonical = (fields: string): string => policyOf(`${reading}features:\n  f: ${fields}`).canonical;
    const window = 'by: client.id, over: 7d';
    expect(canonical(`{ percentile: order.amount, at: 95, ${window} }`)).not.toBe(
      canonical(`{ percentile: order.amount, at: 99, ${window} }`),
    );
    expect(canonical(`{ rate: true, per: 1h, ${window} }`)).not.toBe(canonical(`{ rate: true, per: 2h, ${window} }`));
    expect(canonical(`{ count: true, ${window} }`)).not.toBe(canonical(`{ count: true, ${window}, excluding: this }`));
    expect(canonical(`{ median: order.amount, ${window} }`)).not.toBe(
      canonical(`{ median: order.amount, ${window}, excluding: this }`),
    );
  });

  it('over money is kept per currency, unless the currency names its entity', () => {
    const { slots, features } = policyOf(`${reading}features:\n  f: { sum: order.amount, by: client.id, over: 1h }`);
    expect(features[0]?.currencySlot).toBe(slots.of('order.currency'));
    expect(features[0]?.currencySlot).toBeDefined();
    expect(feature('{ sum: order.amount, by: [client.id, order.currency], over: 1h }').currencySlot).toBeUndefined();
    expect(feature('{ distinct: order.amount, by: client.id, over: 1h }').currencySlot).toBeUndefined();
    expect(feature('{ sum: session.operations, by: client.id, over: 1h }').currencySlot).toBeUndefined();
  });

  it('has the slots of its facts', () => {
    const { slots, features } = policyOf(
      `${reading}features:\n  f: { sum: order.amount, by: [client.id, payee.id], over: 2h, where: order.amount > 5 }`,
    );
    expect(features[0]).toMatchObject({
      name: 'f',
      slot: slots.of('f'),
      ofSlot: slots.of('order.amount'),
      ofType: 'decimal',
      by: ['client.id', 'payee.id'],
      bySlots: [slots.of('client.id'), slots.of('payee.id')],
      overMs: 7_200_000,
    });
    expect(features[0]?.where?.([])).toBeUndefined();
  });

  it('has a fingerprint of its state, not of its name', () => {
    const fields = '{ count: true, by: client.id, over: 1h, where: order.amount>5 }';
    const renamed = policyOf(`features:\n  g: ${fields.replace('order.amount>5', "'(order.amount > 5)'")}`).features[0];
    expect(renamed?.fingerprint).toBe(feature(fields).fingerprint);
    for (const other of ['over: 2h', 'by: user', 'where: order.amount>6']) {
      const key = other.split(':')[0] ?? '';
      const changed = fields
        .replace(new RegExp(`${key}: [^,}]+`), `${other} `)
        .replace('where: order.amount>5', key === 'by' ? '' : 'where: order.amount>5');
      expect(feature(changed).fingerprint).not.toBe(feature(fields).fingerprint);
    }
  });
});

describe('a feature of labels', () => {
  const labelled = (rest: string): string => `{ fraudShare: true, after: 2d, over: 30d, ${rest} }`;

  it("can't read a live list", () => {
    const mistakes = (list: string): readonly string[] =>
      mistakesOf(
        `lists: { watched: { of: payee.id, ${list} } }\nfeatures:\n  f: ${labelled("by: client.id, where: 'payee.id in lists.watched'")}`,
      );
    expect(mistakes('live: true')).toContainEqual(
      expect.stringContaining(
        "fraudShare can't read lists.watched: a label may arrive when it has changed => facts of the event itself",
      ),
    );
    expect(mistakes('items: [B1/1]').filter((mistake) => mistake.includes('label'))).toEqual([]);
  });

  it('may read the address of a login, which belongs to the event', () => {
    expect([...feature(labelled('by: ip.network, on: login')).on]).toEqual(['login']);
  });
});

describe('a feature that does not check', () => {
  it.each([
    [
      '{ by: client.id, over: 1h }',
      '2:6 f has no kind => one of count, sum, avg, min, max, distinct, firstSeen, lastSeen, stddev, median, percentile, previous, rate, topShare, habit, profile, fraudShare, fraudRun, fraudRunAge, sinceFraud, sinceClear, ratio',
    ],
    [
      '{ count: true, sum: order.amount, by: client.id, over: 1h }',
      '2:6 f is count and sum at the same time => one of count, sum, avg, min, max, distinct, firstSeen, lastSeen, stddev, median, percentile, previous, rate, topShare, habit, profile, fraudShare, fraudRun, fraudRunAge, sinceFraud, sinceClear, ratio',
    ],
    ['{ count: true, bi: client.id, by: client.id, over: 1h }', '2:21 a feature has no bi => by'],
    ['{ count: false, by: client.id, over: 1h }', '2:15 count is never false => one of true'],
    [
      '{ percentile: order.amount, at: 101, by: client.id, over: 1h }',
      '2:38 at is 101 => from 0.1 to 99.9, such as 95 or 99.5',
    ],
    [
      '{ percentile: order.amount, at: 100, by: client.id, over: 1h }',
      '2:38 at is 100 => from 0.1 to 99.9, such as 95 or 99.5; use the kind max',
    ],
    [
      '{ percentile: order.amount, at: 0.05, by: client.id, over: 1h }',
      '2:38 at is 0.05 => from 0.1 to 99.9, such as 95 or 99.5',
    ],
    ['{ percentile: order.amount, by: client.id, over: 1h }', '2:6 percentile needs its percentage => at: 95'],
    [
      '{ median: order.amount, at: 50, by: client.id, over: 1h }',
      '2:34 median has no at => remove at; it belongs to percentile',
    ],
    [
      '{ median: payee.id, by: client.id, over: 1h }',
      '2:16 median does not work on payee.id, which is a string => a number, such as order.amount',
    ],
    [
      '{ previous: client.id, by: payee.id, over: 1h }',
      "2:18 previous does not work on client.id: clients' names are not stored => distinct: client.id",
    ],
    ['{ previous: payee.id, by: client.id }', '2:6 previous needs a window => over: 24h'],
    ['{ previous: payee.id, by: client.id, over: 91d }', '2:49 over is 91d => from 1m to 90d, such as 15m, 24h or 7d'],
    ['{ rate: true, by: client.id, over: 1h }', '2:6 rate needs the span that it is per => per: 1h'],
    [
      '{ rate: true, per: 2h, by: client.id, over: 1h }',
      '2:25 per is 2h, which is longer than the window => at most 1h',
    ],
    ['{ profile: order.amount, by: client.id }', '2:6 profile needs a half-life => halfLife: 30d'],
    [
      '{ profile: order.amount, by: client.id, halfLife: 1m }',
      '2:56 halfLife is 1m => from 1h to 90d, such as 24h or 7d',
    ],
    ['{ profile: order.amount, by: client.id, over: 30d, halfLife: 30d }', '2:52 profile has no window => remove over'],
    [
      '{ fraudShare: true, by: payee.id, over: 30d }',
      '2:6 fraudShare needs the age at which events count => after: 2d',
    ],
    ['{ fraudRun: true, by: payee.id, over: 30d }', '2:6 fraudRun needs the age at which events count => after: 2d'],
    [
      '{ sinceClear: true, after: 2d, by: device.id, over: 30d }',
      "2:41 sinceClear can't read device.id: a label may arrive when it has changed => facts of the event itself, such as payee.id",
    ],
    [
      '{ fraudShare: true, after: 30d, by: payee.id, over: 30d }',
      '2:33 after is 30d, which is not shorter than the window => less than 30d',
    ],
    [
      '{ fraudShare: true, after: 2d, by: device.id, over: 30d }',
      "2:41 fraudShare can't read device.id: a label may arrive when it has changed => facts of the event itself, such as payee.id",
    ],
    [
      "{ fraudShare: true, after: 2d, by: payee.id, over: 30d, where: 'session.matched' }",
      "2:69 fraudShare can't read session.matched: a label may arrive when it has changed => facts of the event itself, such as payee.id",
    ],
    ...(['event.hour', 'ip.country'] as const).map((path) => [
      `{ fraudShare: true, after: 2d, by: [payee.id, ${path}], over: 30d }`,
      `2:41 fraudShare can't read ${path}: a label may arrive when it has changed => facts of the event itself, such as payee.id`,
    ]),
    ...[
      ['ip.country == "MX"', 'ip.country'],
      ['event.hour < 6', 'event.hour'],
      ['hour(event.at) < 6', 'workspace.timezone'],
    ].map(([where, unknown]) => [
      `{ fraudShare: true, after: 2d, by: payee.id, over: 30d, where: '${where}' }`,
      `2:69 fraudShare can't read ${unknown}: a label may arrive when it has changed => facts of the event itself, such as payee.id`,
    ]),
    ...['event', 'true', 'current'].map((word) => [
      `{ count: true, by: client.id, over: 1h, excluding: ${word} }`,
      `2:57 excluding is ${word} => excluding: this, which leaves out the event on which the feature is read`,
    ]),
    ['{ count: true, by: client.id, over: 1h, exclude: this }', '2:46 a feature has no exclude => excluding'],
    [
      '{ sum: outcome.loss, by: client.id, over: 90d, excluding: this }',
      '2:64 f counts outcomes, so no event is among them => remove excluding',
    ],
    ['{ ratio: g, to: h }', '2:15 there is no feature g => the name of a feature of this policy'],
    ['{ ratio: g }', '2:6 f has no to => to: the name of a feature'],
    ['{ count: true, over: 1h }', '2:6 f has no by => by: client.id'],
    ['{ count: true, by: [], over: 1h }', '2:25 by is empty => by: client.id'],
    ['{ count: true, by: client.ip, over: 1h }', '2:25 there is no fact client.ip => client.id'],
    ['{ count: true, by: session, over: 1h }', '2:25 session is a group of facts, not a fact => session.id'],
    [
      '{ count: true, by: order.amount, over: 1h }',
      "2:25 order.amount is a decimal and can't identify an entity => a text or a whole number, such as client.id",
    ],
    ...['client.logins', 'client.known', 'session.operations', 'event.repeats'].map((path) => [
      `{ count: true, by: [client.id, ${path}], over: 1h }`,
      `2:37 ${path} is kept by Ringfence about an entity and can't identify one: a feature by it would never have a value => by: client.id, and read ${path} in where or in the rule`,
    ]),
    ['{ count: true, by: [client.id, client.id], over: 1h }', '2:25 by has a fact twice => each once'],
    ['{ count: true, by: [user, data, publicIp, channelId, payee.id], over: 1h }', '2:25 by has 5 items => at most 4'],
    ['{ count: true, by: client.id }', '2:6 count needs a window => over: 24h'],
    ['{ firstSeen: true, by: client.id, over: 1h }', '2:46 firstSeen has no window => remove over'],
    ['{ count: true, by: client.id, over: 1 hour }', '2:42 over is 1 hour, which is not a duration => 1h'],
    ['{ count: true, by: client.id, over: 30s }', '2:42 over is 30s => from 1m to 90d, such as 15m, 24h or 7d'],
    ['{ count: true, by: client.id, over: 91d }', '2:42 over is 91d => from 1m to 90d, such as 15m, 24h or 7d'],
    [
      '{ count: true, by: client.id, over: 3600 }',
      '2:42 over is 3600, which is not a duration => from 1m to 90d, such as 15m, 24h or 7d',
    ],
    [
      '{ sum: payee.id, by: client.id, over: 1h }',
      '2:13 sum does not work on payee.id, which is a string => a number, such as order.amount',
    ],
    [
      '{ distinct: transaction.details, by: client.id, over: 1h }',
      '2:18 distinct does not work on transaction.details, which is a map => a fact with one value',
    ],
    [
      '{ distinct: publicIp, by: payee.id, over: 1h }',
      '2:3 no event has all the facts that this feature reads => facts of one kind of event, or on:',
    ],
    [
      '{ sum: order.amount, by: client.id, over: 1h, on: [login, operation] }',
      '2:56 logins never have order.currency => on: [operation]',
    ],
    [
      "{ count: true, by: client.id, over: 1h, on: login, where: 'order.amount > 1' }",
      '2:50 logins never have order.amount, which where needs => on: [operation]',
    ],
    [
      '{ count: true, by: client.id, over: 1h, on: [] }',
      '2:50 on is empty => one or more of login, logout, operation, outcome',
    ],
    ['{ count: true, by: client.id, over: 1h, on: logon }', '2:50 on is never logon => login'],
    [
      "{ count: true, by: client.id, over: 1h, where: 'f > 1' }",
      '2:54 f is a feature, but the where of a feature can read only facts',
    ],
    [
      '{ count: true, by: client.id, over: 1h, where: order.amont > 1 }',
      '2:53 there is no fact or feature order.amont => order.amount',
    ],
    [
      '{ count: true, by: client.id, over: 1h, on: [operation, outcome] }',
      '2:50 a feature counts either events or outcomes => on: [outcome]',
    ],
    [
      '{ count: true, by: outcome.type, over: 1h }',
      '2:25 events have no outcome.type: no rule could read a feature by it => by: client.id, and outcome.type in where',
    ],
    [
      '{ count: true, by: client.id, over: 1h, on: [operation], where: \'outcome.kind == "fraud"\' }',
      '2:50 operation never has outcome.kind => on: [outcome]',
    ],
    [
      "{ count: true, by: client.id, over: 1h, on: [outcome], where: 'session.matched' }",
      '2:50 session.matched is not known when an outcome is reported => facts of the event itself, such as payee.id, or of the outcome',
    ],
    [
      '{ fraudShare: true, after: 2d, by: payee.id, over: 30d, on: [outcome] }',
      '2:6 fraudShare compares events, and does not count outcomes => count, sum, distinct or another kind',
    ],
    [
      '{ habit: outcome.type, by: client.id, over: 30d }',
      '2:6 habit compares events, and does not count outcomes => count, sum, distinct or another kind',
    ],
    ['5', '2:6 a feature is expected, not the value 5 => name: value, one on each line'],
  ])('%s', (fields, expected) => {
    expect(mistake(fields)).toBe(expected);
  });

  it.each([
    ['Count', "Count can't be a name => a small letter, then letters and digits, at most 64"],
    ['a_b', "a_b can't be a name => a small letter, then letters and digits, at most 64"],
    ['user', 'user already has a meaning => another name, such as user24h'],
    ['while', 'while already has a meaning => another name, such as while24h'],
    ['constructor', 'constructor already has a meaning => another name, such as constructor24h'],
    ['client', 'client already has a meaning => another name, such as client24h'],
  ])('with the name %s', (name, expected) => {
    expect(mistake('{ count: true, by: client.id, over: 1h }', name)).toBe(`2:3 ${expected}`);
  });

  it('declared twice', () => {
    const files = ['a.yaml', 'b.yaml'].map((path) => ({
      path,
      text: 'features:\n  f: { count: true, by: client.id, over: 1h }',
    }));
    expect(mistakesOf(`${files[0]?.text}\n  f: { count: true, by: client.id, over: 1h }`)).toContain(
      '3:3 f appears here twice, first in line 2 => one of them',
    );
  });
});

it('warns of a feature that no rule reads', () => {
  expect(mistakesOf('features:\n  f: { count: true, by: client.id, over: 1h }')).toEqual([
    '2:3 warning: no rule reads f => remove it until a rule reads it',
  ]);
});

it.each([
  ['by', '{ count: true, by: transaction.details.mcc, over: 1h }', 'transaction.details.mcc'],
  ['distinct', '{ distinct: transaction.details.holder, by: creditCard.hash, over: 7d }', 'transaction.details.holder'],
  ['sum', '{ sum: transaction.details.fee, by: client.id, over: 24h }', 'transaction.details.fee'],
  ['by', `{ count: true, by: 'transaction.details["mcc"]', over: 1h }`, 'transaction.details["mcc"]'],
])('a detail can not be counted: %s', (_, fields, path) => {
  expect(mistake(fields)).toContain(
    `a feature can't be kept by or computed from a detail: ${path} can be anything that a sender chooses => a member of the interface, such as transaction.type; conditions and where read transaction.details["key"]`,
  );
});

it.each(['account.email.split("@")[1]', 'order.amount * 2', 'payee.id + "x"'])('nor an expression: %s', (path) => {
  expect(mistake(`{ distinct: client.id, by: '${path}', over: 1h }`)).toContain(
    `a feature is kept by and computed from whole facts, and ${path} is an expression => a fact such as account.email, and the expression in where`,
  );
});
