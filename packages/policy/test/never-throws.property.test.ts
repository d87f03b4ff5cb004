import fc from 'fast-check';
import { expect, it } from 'vitest';
import { check } from './evaluate.ts';
import { load } from './load.ts';

const sample = `features:
  sum1d: { sum: order.amount, by: [client.id, payee.id], over: 24h, where: 'transaction.category == "transfer"' }
lists:
  bad: { of: payee.id, items: [a, "b"] }
actions:
  6: Ask
rules:
  - reason: 1
    name: one
    when: >-
      sum1d > 3 * 100.50 && !(payee.id in lists.bad)
      || session.age.orValue(0s) < 1h30m
    then: [{ action: 2 }, { action: 4, format: html, message: "<b>{{ order.amount }}</b>" }]
    cooldown: 15m per session
    maxActions: 100 per hour
tests:
  - name: t
    given: [{ at: +5s, operation: { channelId: 1, account: { client: a }, order: { amount: 1 } } }, { at: +6s, executed: { reason: 1, action: 2 } }]
    expect: [{ reason: 1, at: +5s }]
`;

/** Typing errors, and attempts of attackers. */
const inserted = fc.oneof(
  fc.string({ maxLength: 3, unit: 'binary' }),
  fc.constantFrom(
    '{',
    '[',
    '"',
    "'",
    '\n',
    '  ',
    ': ',
    '- ',
    '&a ',
    '*a ',
    '!!js ',
    '---\n',
    '{{',
    '\\',
    '\0',
    '\ud800',
    '💥',
    '%',
  ),
);
const edit = fc.record({ at: fc.nat({ max: sample.length }), removed: fc.nat({ max: 4 }), inserted });

function edited(
  text: string,
  edits: readonly { readonly at: number; readonly removed: number; readonly inserted: string }[],
): string {
  return edits.reduce((now, { at, removed, inserted: put }) => now.slice(0, at) + put + now.slice(at + removed), text);
}

/** Some seconds of work, on a machine that may be busy. */
const patienceMs = 60_000;

it('a damaged policy is a policy or a list of mistakes at places in it', { timeout: patienceMs }, () => {
  expect(load(sample).ok).toBe(true);
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
      const text = edited(sample, edits);
      const result = load(text);
      const lines = text.split('\n').length;
      for (const { line, column } of result.ok ? result.warnings : result.errors) {
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(lines);
        expect(column).toBeGreaterThanOrEqual(1);
      }
      expect(result.ok || result.errors.some((error) => error.severity === 'error')).toBe(true);
    }),
    { seed: 22, numRuns: 600 },
  );
});

it.each([
  'order.amount > 3 * 100.50 && ["a", "b"].exists(x, x == user) || session.age < 1h30m && r"\\d" != user',
  '[1, user.size()].map(x, x > 0, -x * 2)[0] == {"a": [1u], `b`: b"c"}.a[0] || dyn(user).split("@")[1].plain() != "a"',
  'hour(event.at) in [1, 2] && similarity(user, data) > 0.9 && {"a": null}.a == null && type(dyn(1)) == int ? true : false',
])('a damaged condition is a condition or a list of mistakes: %s', { timeout: patienceMs }, (condition) => {
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
      const { compiled, mistakes } = check(
        edited(
          condition,
          edits.map((one) => ({ ...one, at: one.at % condition.length })),
        ),
      );
      expect(compiled !== undefined || mistakes.length > 0).toBe(true);
      compiled?.run([]);
    }),
    { seed: 22, numRuns: 1_500 },
  );
});
