import { actionRequestSchema } from '@ringfence/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageBounds } from '../../src/run/message.ts';
import type { FactValue } from '../../src/facts/fact-value.ts';
import { decimal } from '../evaluate.ts';
import { factsOf, mistakesOf, policyOf } from '../load.ts';

/** Bounds of the webhook's request. */
const messageSchema = actionRequestSchema.properties.message as unknown as { readonly maxLength: number };

function policy(message: string, format = 'text'): string {
  return `rules:\n  - reason: 1\n    name: r\n    when: client.known\n    then: { action: 3, format: ${format}, message: ${JSON.stringify(message)} }`;
}

function render(message: string, facts: Readonly<Record<string, FactValue>>, format = 'text'): string {
  const loaded = policyOf(policy(message, format));
  return loaded.rules[0]?.then[0]?.render(factsOf(loaded, facts)) ?? '';
}

describe('a message', () => {
  it.each([
    ['Hello', {}, 'Hello'],
    [
      '{{order.amount}} {{ order.currency }}!',
      { 'order.amount': decimal('10.1'), 'order.amountText': '10.10', 'order.currency': 'MXN' },
      '10.10 MXN!',
    ],
    ['{{client.logins}} {{client.known}}', { 'client.logins': 3, 'client.known': false }, '3 false'],
    [
      '{{session.age}} since {{session.openedAt}}',
      { 'session.age': 5_400_000, 'session.openedAt': Date.UTC(2026, 10, 21, 2, 14) },
      '1h30m since 2026-11-21T02:14:00Z',
    ],
    [
      '{{transaction.details}}',
      {
        'transaction.details': new Map([
          ['b', '2'],
          ['a', '1'],
        ]),
      },
      '{"a":"1","b":"2"}',
    ],
    [
      '{{transaction.details.note}}|{{ transaction.details.none }}',
      { 'transaction.details': new Map([['note', 'rent']]) },
      'rent|',
    ],
    ['[{{payee.id}}]', {}, '[]'],
    ['{{ account.accountNumber.mask() }}', { 'account.accountNumber': '012180001183599719' }, '****9719'],
    ['{{ account.email.maskEmail() }}', { 'account.email': 'maria@example.com' }, 'm****@example.com'],
    ['[{{ account.email.maskEmail() }}]', {}, '[]'],
    ['{{ order.amount * 2 }}', { 'order.amount': decimal('10.10') }, '20.2'],
    ['{ {x} } }}', {}, '{ {x} } }}'],
    ['{{user}}', { user: 'a\r\nBcc: b\u0000\u202ec' }, 'a Bcc: b c'],
    ['{{user}}', { user: '{{order.amount}}' }, '{{order.amount}}'],
  ])('%s', (message, facts, expected) => {
    expect(render(message, facts)).toBe(expected);
  });

  it('escapes values in HTML, and only there', () => {
    const facts = { user: `<a href="x" title='y'>&` };
    expect(render('<b>{{user}}</b>', facts, 'html')).toBe('<b>&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;</b>');
    expect(render('<b>{{user}}</b>', facts)).toBe(`<b><a href="x" title='y'>&</b>`);
  });

  it('is never longer than the interface allows', () => {
    const { templateLength, placeholders, valueLength } = messageBounds;
    const shown = '{{user}}'.repeat(placeholders);
    const longest = render(shown.padStart(templateLength, 'x'), { user: '"'.repeat(valueLength) }, 'html');
    expect(longest.length).toBeGreaterThan(templateLength);
    expect(longest.length).toBeLessThanOrEqual(messageSchema.maxLength);
    const widest = render(shown.padStart(templateLength, '€'), { user: '"'.repeat(valueLength) }, 'html');
    expect(Buffer.byteLength(widest)).toBeLessThan(96 * 1_024);
  });

  it('cuts a long value between characters', () => {
    const cut = render('{{user}}', { user: `a${'🎁'.repeat(100)}` });
    expect(cut).toBe(`a${'🎁'.repeat(69)}…`);
    expect(cut.length).toBeLessThanOrEqual(messageBounds.valueLength);
  });
});

/** Control characters and directional marks, as a pattern: a run of them becomes one space. */
const hidden = /[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu;

it('shows any text as a reference implementation does', () => {
  const { valueLength } = messageBounds;
  const unit = fc.constantFrom('a', '🎁', '\n', '\u0085', '\u202e', '\u2067', ' ', '\u00a0', '\u2027', '\u206a');
  const text = fc.oneof(
    fc.string({ unit, maxLength: 400 }),
    fc.tuple(fc.nat(300), fc.nat(300)).map(([a, b]) => '\n'.repeat(a) + 'x'.repeat(b)),
  );
  const loaded = policyOf(policy('{{user}}'));
  const shown = (user: string): string => loaded.rules[0]!.then[0]!.render(factsOf(loaded, { user }));
  fc.assert(
    fc.property(text, (user) => {
      const line = user.replace(hidden, ' ');
      const cut = line.slice(0, valueLength - 1);
      const whole = line.length <= valueLength ? line : `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
      expect(shown(user)).toBe(whole);
    }),
    { seed: 4, numRuns: 2_000 },
  );
});

describe('a message that does not check', () => {
  it.each([
    ['{{order.amont}}', '5:50 there is no fact or feature order.amont => order.amount'],
    ['x {{ order.amount }', '5:50 the placeholder is not closed => {{ order.amount }}'],
    ['x {{ order.amount', '5:50 the placeholder is not closed => {{ order.amount }}'],
    ['{{}}', '5:48 {{}} shows nothing => {{ order.amount }}'],
    [
      '{{ order.amount | upper }}',
      '5:64 "|" is not expected here => a fact, or a function of facts such as account.email.maskEmail()',
    ],
    [
      '{{#if client.known}}x{{/if}}',
      '5:50 "#" is not expected here => a fact, or a function of facts such as account.email.maskEmail()',
    ],
    ['{{order.currency.mask}}', '5:50 mask is a function => order.currency.mask()'],
    ['{{ user.split }}', '5:51 split is a function => user.split(…)'],
    ['{{ account.email.maskMail() }}', '5:65 there is no function maskMail => maskEmail(…)'],
    [
      '{{ account.email.split(".") }}',
      "5:51 a message can't show a list<string> => a fact, or a function of facts such as account.email.maskEmail()",
    ],
    ['x'.repeat(messageBounds.templateLength + 1), '5:48 the message has 16385 characters => at most 16384'],
    ['{{user}}'.repeat(51), '5:48 the message shows 51 values => at most 50'],
  ])('%s', (message, expected) => {
    expect(mistakesOf(policy(message))).toContain(expected);
  });
});
