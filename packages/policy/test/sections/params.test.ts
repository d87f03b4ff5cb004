import { describe, expect, it } from 'vitest';
import { loadPolicy } from '../../src/check/load-policy.ts';
import { mistakesOf, policyOf } from '../load.ts';

const rule = (when: string, fields = ''): string =>
  `rules:\n  - { reason: 1, name: one, on: [operation], when: '${when}', then: { action: 2, message: "more than {{params.most}}" }${fields} }\n`;
const most =
  'params: { most: { type: decimal, default: 2.50, unit: EUR, description: most of all, min: 1, max: 100 } }\n';

describe('a parameter', () => {
  it('is replaced by its value: decisions, messages and explanations do not contain its name', () => {
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

  it('is read by features, which start without history when it changes', () => {
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
    ['params: { most: 5 }\n', 'there is no parameter most to set'],
    [`${most}${rule('order.amount > 5')}`.replaceAll('{{params.most}}', 'x'), 'warning: nothing reads params.most'],
  ])('%s', (text, mistake) => {
    expect(
      mistakesOf(text.includes('rules:') ? text : `${text}${rule('order.amount > params.most')}`).join('\n'),
    ).toContain(mistake);
  });

  const window = 'params: { span: { type: duration, default: 20d }, most: { type: int, default: 5 } }\n';
  const over = (fields: string, rules = rule('f > params.most')): string =>
    `${window}features: { f: { ${fields}, by: client.id } }\n${rules}`;

  it('is a window, a half-life, a span of a rate, a delay of labels or a cooldown', () => {
    const spansOf = (fields: string, rules?: string): object => policyOf(over(fields, rules)).features[0]!;
    const halved = 'profile: order.amount, halfLife: params.span';
    const score = rule('zscore(order.amount, f) > 2.0 && order.amount > params.most');
    const dayMs = 86_400_000;
    expect(spansOf('count: true, over: params.span')).toMatchObject({ overMs: 20 * dayMs });
    expect(spansOf('rate: true, per: params.span, over: 30d')).toMatchObject({ perMs: 20 * dayMs });
    expect(spansOf(halved, score)).toMatchObject({ halfLifeMs: 20 * dayMs });
    const told = 'fraudShare: true, after: params.span, over: 30d, on: operation';
    expect(spansOf(told)).toMatchObject({ afterMs: 20 * dayMs });
    const { cooldown } = policyOf(
      over('count: true, over: 1h', rule('f > params.most', ', cooldown: params.span per client')),
    ).rules[0]!;
    expect(cooldown).toEqual({ ms: 20 * dayMs, per: 'client' });
  });

  it.each([
    ['count: true, over: params.most', 'params.most is not a duration => a parameter with type: duration'],
    ['count: true, over: params.spam', 'there is no parameter params.spam => params.span'],
    ['profile: order.amount, halfLife: params.nothing', 'there is no parameter params.nothing'],
    ['rate: true, per: params.span, over: 10d', 'per is 20d, which is longer than the window'],
  ])('%s is refused', (fields, mistake) => {
    expect(mistakesOf(over(fields)).join('\n')).toContain(mistake);
  });

  it('is checked against the bounds of a window, with its current value', () => {
    const long = over('count: true, over: params.span').replace('20d', '200d');
    expect(mistakesOf(long).join('\n')).toContain('over is params.span, which is 200d => from 1m to 90d');
    const broken = over('count: true, over: params.span').replace('20d', 'soon');
    expect(mistakesOf(broken)).toEqual(['1:44 default is soon => a duration, such as 15m, 24h or 7d']);
  });
});
