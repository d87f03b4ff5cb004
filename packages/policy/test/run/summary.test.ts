import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FactValue } from '../../src/facts/fact-value.ts';
import { summaryBounds } from '../../src/run/summary.ts';
import { decimal } from '../evaluate.ts';
import { factsOf, load, mistakesOf, policyOf } from '../load.ts';

function policy(summary: unknown, on = '[operation]'): string {
  return `features:
  spent: { sum: order.amount, by: client.id, over: 24h }
  average: { avg: order.amount, by: client.id, over: 24h }
  usual: { profile: order.amount, by: client.id, halfLife: 30d }
  addresses: { distinct: publicIp, by: client.id, over: 24h }
rules:
  - reason: 1
    name: r
    on: ${on}
    when: client.known
    then: { action: 2 }
    summary: ${JSON.stringify(summary)}`;
}

/** The sentence in each language. */
function rendered(summary: unknown, facts: Readonly<Record<string, FactValue>>): Readonly<Record<string, string>> {
  const loaded = policyOf(policy(summary));
  const of = loaded.rules[0]!.summary.map(({ language, render }) => {
    const parts = render(factsOf(loaded, facts));
    return [language, parts.map(({ text }) => text).join('')] as const;
  });
  return Object.fromEntries(of);
}

const paid = { 'order.amount': decimal('25000'), 'order.currency': 'MXN' };

describe('a summary', () => {
  it.each<[string, Readonly<Record<string, FactValue>>, string]>([
    ['{{order.amount}} {{order.currency}}', paid, '25,000.00 MXN'],
    ['{{order.amount}}', { 'order.amount': decimal('1234567.5'), 'order.currency': 'JPY' }, '1,234,568'],
    ['{{order.amount}}', { 'order.amount': decimal('0.5'), 'order.currency': 'KWD' }, '0.500'],
    ['{{order.amount}}', { 'order.amount': decimal('-999.999'), 'order.currency': 'MXN' }, '-1,000.00'],
    ['{{order.amount}}', { 'order.amount': decimal('0.001'), 'order.currency': 'MXN' }, '0.001'],
    ['{{order.amount}}', { 'order.amount': decimal('7') }, '7.00'],
    ['{{ order.amount * 2 }}', paid, '50,000'],
    ['{{ order.amount / 3 }}', paid, '8,333.33'],
    ['{{spent}}', { spent: decimal('1200.456'), 'order.currency': 'MXN' }, '1,200.46'],
    ['{{average}}', { average: decimal('99.9'), 'order.currency': 'CLP' }, '100'],
    [
      '{{usual}} {{usual.deviation}}',
      { usual: 1499.5, 'usual.deviation': 0, 'order.currency': 'MXN' },
      '1,499.50 0.00',
    ],
    ['{{addresses}} {{client.logins}}', { addresses: 3, 'client.logins': 12_345 }, '3 12,345'],
    ['{{ double(client.logins) / 7.0 }}', { 'client.logins': 1 }, '0.14'],
    ['{{ double(client.logins) / 1000.0 }}', { 'client.logins': 1 }, '0.001'],
    ['{{client.known}}', { 'client.known': false }, 'no'],
    ['{{session.openedAt}}', { 'session.openedAt': Date.UTC(2026, 10, 21, 2, 14, 9) }, '2026-11-21 02:14 UTC'],
    ['paid {{payee.id}}', {}, 'paid unknown'],
    ['paid {{payee.id}}', { 'payee.id': '' }, 'paid unknown'],
    ['{{account.client}}', { 'account.client': `a\r\nb\u202e${'c'.repeat(200)}` }, `a b ${'c'.repeat(75)}…`],
  ])('%s', (summary, facts, expected) => {
    expect(rendered(summary, facts)).toEqual({ en: expected });
  });

  it.each([
    [0, '0 s'],
    [802, '802 ms'],
    [1_250, '1 s'],
    [59_999, '59 s'],
    [180_000, '3 min'],
    [192_000, '3 min 12 s'],
    [5_400_000, '1 h 30 min'],
    [14 * 3_600_000 + 60_000, '14 h'],
    [2 * 86_400_000, '2 d'],
    [400 * 86_400_000 + 1, '400 d'],
    [-3_000, '-3 s'],
  ])('shows a span of %d ms as %s', (age, expected) => {
    expect(rendered('{{session.age}}', { 'session.age': age })).toEqual({ en: expected });
  });

  it('is rendered in each language, with its separators and words', () => {
    const summary = {
      en: '{{order.amount}} to {{payee.id}}, known: {{client.known}}',
      es: '{{order.amount}} a {{payee.id}}, conocido: {{client.known}}',
      'es-ES': '{{order.amount}} a {{payee.id}}',
      de: '{{order.amount}} an {{payee.id}}',
      sw: '{{order.amount}} {{payee.id}}',
    };
    expect(rendered(summary, { ...paid, 'client.known': true })).toEqual({
      en: '25,000.00 to unknown, known: yes',
      es: '25,000.00 a desconocido, conocido: sí',
      'es-ES': '25.000,00 a desconocido',
      de: '25.000,00 an unbekannt',
      sw: '25,000.00 unknown',
    });
  });

  it('tells of each value what it was computed from', () => {
    const loaded = policyOf(policy('{{order.amount}} to {{ payee.id.mask() }}{{device.id}}'));
    const facts = factsOf(loaded, { ...paid, 'payee.id': 'B1/0012345678' });
    expect(loaded.rules[0]!.summary[0]!.render(facts)).toEqual([
      { text: '25,000.00', of: ['order.amount'], type: 'decimal' },
      { text: ' to ' },
      { text: '****5678', of: ['payee.id'], type: 'string' },
      { text: 'unknown' },
    ]);
  });

  it('never shows a hole, whatever is missing', () => {
    const loaded = policyOf(
      policy('[{{order.amount}}] [{{session.age}}] [{{payee.id}}] [{{client.known}}] [{{spent}}]'),
    );
    const value = (some: fc.Arbitrary<FactValue>): fc.Arbitrary<FactValue> => fc.option(some, { nil: undefined });
    const facts = fc.record({
      'order.amount': value(fc.bigInt(-(10n ** 30n), 10n ** 30n) as fc.Arbitrary<FactValue>),
      'order.currency': value(fc.constantFrom('MXN', 'JPY', 'QQQ', '')),
      'session.age': value(fc.integer()),
      'payee.id': value(fc.string()),
      'client.known': value(fc.boolean()),
    });
    fc.assert(
      fc.property(facts, (given) => {
        const parts = loaded.rules[0]!.summary[0]!.render(factsOf(loaded, given));
        for (const { text } of parts) {
          expect(text).not.toBe('');
          expect(text.length).toBeLessThanOrEqual(summaryBounds.valueLength);
        }
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});

describe('the check of a summary', () => {
  it.each<[unknown, string]>([
    ['{{order.amont}}', '12:17 there is no fact or feature order.amont => order.amount'],
    ['{{event.id}}', '12:17 there is no fact or feature event.id'],
    ['{{order.amount', '12:15 the placeholder is not closed => {{ order.amount }}'],
    ['{{ [order.amount] }}', "a summary can't show a list"],
    ['', '12:14 summary is empty => what happened, in one sentence'],
    ['x'.repeat(501), '12:15 the summary has 501 characters => at most 500'],
    ['{{order.amount}}'.repeat(21), '12:15 the summary shows 21 values => at most 20'],
    [{}, '12:14 summary is empty => { en: what happened }'],
    [{ english: 'x' }, '12:15 english is not a language tag => en'],
    [{ ES: 'x' }, '12:15 ES is not a language tag => es'],
    [{ es_mx: 'x' }, '12:15 es_mx is not a language tag => es-MX'],
    [{ xx: 'x' }, '12:15 xx is not a language tag => a tag of BCP 47, such as en, es or pt-BR'],
    [{ en: 'x', es: '{{user}}' }, '12:14 operations never have user => a fact of these events'],
    [
      Object.fromEntries(['en', 'es', 'pt', 'fr', 'de', 'it', 'nl', 'sv', 'da'].map((tag) => [tag, 'x'])),
      '12:14 the summary has 9 languages => at most 8',
    ],
  ])('%j', (summary, expected) => {
    expect(mistakesOf(policy(summary)).filter((line) => !line.includes('warning'))[0]).toContain(expected);
  });

  it.each(['en', 'es-MX', 'es-419', 'zh-Hant-TW', 'nah'])('accepts %s', (tag) => {
    expect(load(policy({ [tag]: 'x' })).ok).toBe(true);
  });

  it('counts its cost, and the features that only it reads', () => {
    const without = policyOf(policy('x')).cost;
    expect(policyOf(policy('{{order.currency}}')).cost).toBeGreaterThan(without);
    expect(policyOf(policy('{{spent}}')).cost).toBeGreaterThan(policyOf(policy('{{client.logins}}')).cost + 100);
    expect(mistakesOf(policy('{{spent}}')).join('\n')).not.toContain('no rule reads spent');
  });

  it('does not change what the policy decides', () => {
    expect(policyOf(policy('one')).canonical).toBe(policyOf(policy('two')).canonical);
  });
});
