import { describe, expect, it } from 'vitest';
import { loadPolicy } from '../../src/load-policy.ts';
import { mistakesOf, policyOf } from '../load.ts';

const rule = (when: string, fields = ''): string =>
  `rules:\n  - { reason: 1, name: one, on: [operation], when: '${when}', then: { action: 2, message: "more than {{params.most}}" }${fields} }\n`;
const most =
  'params: { most: { type: decimal, default: 2.50, unit: EUR, description: most of all, min: 1, max: 100 } }\n';

describe('a parameter', () => {
  it('stands for its value: what is decided, shown and explained has no trace of its name', () => {
    const policy = policyOf(`${most}${rule('order.amount > 2 * params.most')}`);
    expect(policy.rules[0]!.text).toBe('order.amount > 2 * 2.50');
    expect(policy.rules[0]!.then[0]!.render([])).toBe('more than 2.5');
    expect(policy.params).toEqual([
      {
        name: 'most',
        type: 'decimal',
        unit: 'EUR',
        description: 'most of all',
        initial: '2.50',
        value: '2.50',
        file: 'policy.yaml',
      },
    ]);
  });

  it.each([
    ['int', '5', 'client.logins > params.most', 'client.logins > 5'],
    ['duration', '90m', 'session.age < params.most', 'session.age < 1h30m'],
    ['string', 'EUR', 'order.currency == params.most', 'order.currency == "EUR"'],
    ['bool', 'true', 'session.matched == params.most', 'session.matched == true'],
  ])('of type %s', (type, value, ...[when, text]) => {
    const policy = policyOf(`params: { most: { type: ${type}, default: ${value} } }\n${rule(when)}`);
    expect(policy.rules[0]!.text).toBe(text);
  });

  it('is read by features, which are then kept anew when it changes', () => {
    const fingerprint = (value: number): string =>
      policyOf(
        `params: { most: { type: int, default: ${value} } }\nfeatures: { large: { count: true, by: client.id, over: 1h, where: order.amount > params.most } }\n${rule('large > params.most')}`,
      ).features[0]!.fingerprint;
    expect(fingerprint(5)).not.toBe(fingerprint(6));
  });

  it('is set by a plain value in another file', () => {
    const result = loadPolicy([
      { path: 'a.yaml', text: `${most}${rule('order.amount > params.most')}` },
      { path: 'b.yaml', text: 'params: { most: 50 }' },
    ]);
    expect(result).toMatchObject({ ok: true, policy: { params: [{ initial: '2.50', value: '50' }] } });
    expect(result.ok && result.policy.rules[0]!.text).toBe('order.amount > 50');
  });

  it.each([
    [`${most}${rule('order.amount > params.moost')}`, 'there is no parameter params.moost => params.most'],
    ['params: { most: { type: int, default: 5.5 } }\n', 'default is 5.5 => a whole number'],
    ['params: { most: { type: int } }\n', 'the parameter most has no default => default: 5'],
    ['params: { most: { type: int, default: 5, max: 4 } }\n', '5 is out of bounds => from any to 4'],
    ['params: { most: 5 }\n', 'there is no parameter most to be set'],
    [
      `${most}${rule('order.amount > 5')}`.replaceAll('{{params.most}}', 'x'),
      'warning: no condition reads params.most',
    ],
  ])('%s', (text, mistake) => {
    expect(
      mistakesOf(text.includes('rules:') ? text : `${text}${rule('order.amount > params.most')}`).join('\n'),
    ).toContain(mistake);
  });
});
