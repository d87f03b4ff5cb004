import { NumberText } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { mistakesOf, policyOf } from '../load.ts';

const rule = "rules:\n  - { reason: 1, name: r, when: 'client.known', then: { action: 2 } }\ntests:\n";

describe('a test', () => {
  it('is a history and the expected actions', () => {
    const text = `${rule}  - name: twice
    given:
      - { login: { channelId: 1, user: ana, publicIp: 203.0.113.7, data: "" }, facts: { ip.valid: true } }
      - { at: +1m30s, operation: { channelId: 1, order: { amount: 10.5 }, transaction: { details: { a: b } } } }
      - { at: +2m, executed: { reason: 1, action: 2 } }
    expect: [{ reason: 1 }, { reason: 1, action: 2, at: +90s }]`;
    expect(policyOf(text).tests).toEqual([
      {
        name: 'twice',
        lists: {},
        timezone: undefined,
        file: 'policy.yaml',
        line: 4,
        given: [
          {
            atMs: 0,
            kind: 'login',
            body: { channelId: 1, user: 'ana', publicIp: '203.0.113.7', data: '' },
            facts: { 'ip.valid': true },
          },
          {
            atMs: 90_000,
            kind: 'operation',
            body: { channelId: 1, order: { amount: 10.5 }, transaction: { details: { a: 'b' } } },
            facts: {},
          },
        ],
        executed: [{ atMs: 120_000, reason: 1, action: 2 }],
        outcomes: [],
        expect: [
          { reason: 1, action: undefined, atMs: undefined },
          { reason: 1, action: 2, atMs: 90_000 },
        ],
      },
    ]);
  });

  it.each([
    ['10.10', new NumberText('10.10')],
    ['1e3', new NumberText('1e3')],
    ['10.5', 10.5],
    ['0x1F', 31],
    ['"10.10"', '10.10'],
    ['[1.0, 1]', [new NumberText('1.0'), 1]],
  ])('keeps a body with %s as written', (written, given) => {
    const text = `${rule}  - { name: t, given: [{ logout: { channelId: 1, user: a, session: s, more: ${written} } }], expect: [] }`;
    expect(policyOf(text).tests[0]?.given[0]?.body).toMatchObject({ more: given });
  });

  it('may contain what the bank reports', () => {
    const told = '{ at: +5s, outcome: { outcome: fraud, reference: R-1, loss: 120.50, currency: eur, code: 4837 } }';
    const nothing = { reason: undefined, action: undefined, method: undefined, type: undefined };
    expect(policyOf(`${rule}  - { name: t, given: [${told}], expect: [] }`).tests[0]?.outcomes).toEqual([
      {
        ...nothing,
        atMs: 5_000,
        outcome: 'fraud',
        reference: 'R-1',
        code: '4837',
        stage: undefined,
        loss: '120.50',
        recovered: undefined,
        currency: 'EUR',
        label: 'fraud',
      },
    ]);
  });

  it.each([
    ['retracted', 'none'],
    ['legitimate', 'legitimate'],
    ['chargeback', undefined],
    ['chargeback, label: fraud', 'fraud'],
    ['cancelled', undefined],
  ])('%s labels its event as the service does: %s', (outcome, label) => {
    const text = `${rule}  - { name: t, given: [{ outcome: { outcome: ${outcome} } }], expect: [] }`;
    expect(policyOf(text).tests[0]?.outcomes[0]?.label).toBe(label);
  });

  it('has the time zone of its workspace', () => {
    const given = 'given: [], expect: [] }';
    expect(policyOf(`${rule}  - { name: t, timezone: Asia/Tokyo, ${given}`).tests[0]?.timezone).toBe('Asia/Tokyo');
    expect(mistakesOf(`${rule}  - { name: t, timezone: Asia/Tokio, ${given}`)).toContain(
      '4:26 Asia/Tokio is not a time zone => Asia/Tokyo',
    );
  });

  it.each([
    ['{ given: [], expect: [] }', '4:5 the test has no name => name: what it shows'],
    ['{ name: t, expect: [] }', '4:5 the test gives no events => given: [{ at: +0s, login: { … } }]'],
    ['{ name: t, given: [] }', '4:5 the test has no expect => expect: [] if nothing should fire'],
    [
      '{ name: t, given: [{ at: +0s }], expect: [] }',
      '4:24 an event is a login, a logout, an operation, executed or an outcome => { at: +5s, operation: { … } }',
    ],
    [
      '{ name: t, given: [{ login: {}, logout: {} }], expect: [] }',
      '4:24 an event is a login, a logout, an operation, executed or an outcome => { at: +5s, operation: { … } }',
    ],
    [
      '{ name: t, given: [{ at: 5, login: {} }], expect: [] }',
      '4:30 at is 5 => time since the test began: +0s, +5s, +1h30m',
    ],
    [
      '{ name: t, given: [{ at: +181d, login: {} }], expect: [] }',
      '4:30 at is +181d => at most +180d after the test began',
    ],
    ['{ name: t, given: [{ login: x }], expect: [] }', "4:33 login is a mapping => the body in the wire's own shape"],
    [
      '{ name: t, given: [{ at: +5s, login: { channelId: 1, user: a, publicIp: a, data: a } }, { at: +4s, login: { channelId: 1, user: a, publicIp: a, data: a } }], expect: [] }',
      '4:93 the events are not in the order in which they arrive => at: not before the event above it',
    ],
    [
      '{ name: t, given: [{ login: {}, facts: { ip.vald: true } }], expect: [] }',
      '4:46 there is no fact ip.vald => ip.valid',
    ],
    ['{ name: t, given: [{ login: {}, facts: { ip.valid: 5 } }], expect: [] }', '4:56 ip.valid is a bool => boolean'],
    [
      '{ name: t, given: [{ login: {}, facts: { client.known: true } }], expect: [] }',
      '4:46 client.known comes from the events themselves => an enrichment fact, such as ip.valid or device.state',
    ],
    [
      '{ name: t, given: [{ operation: {}, facts: { ip.valid: true } }], expect: [] }',
      '4:50 this kind of event never has ip.valid => login or logout',
    ],
    [
      '{ name: t, given: [{ executed: { reason: 1 } }], expect: [] }',
      '4:36 executed has no action => executed: { reason: 301, action: 2 }',
    ],
    [
      '{ name: t, given: [{ outcome: { reason: 1 } }], expect: [] }',
      '4:35 the outcome is missing => outcome: stepUpPassed',
    ],
    [
      '{ name: t, given: [{ outcome: { outcome: stepUpPassd, reason: 1 } }], expect: [] }',
      '4:46 outcome is never stepUpPassd => stepUpPassed',
    ],
    [
      '{ name: t, given: [{ outcome: { outcome: stepUpFailed } }], expect: [] }',
      '4:35 the result of a step-up needs the rule that asked for it => { outcome: stepUpFailed, reason: 101 }',
    ],
    [
      '{ name: t, given: [{ outcome: { outcome: fraud, loss: much } }], expect: [] }',
      '4:59 loss is much => an amount, such as 120.50',
    ],
    [
      '{ name: t, given: [{ outcome: { outcome: fraud, reason: 3 } }], expect: [] }',
      '4:61 there is no rule with reason 3 => 1',
    ],
    ['{ name: t, given: [], expect: [{ reason: 2 }] }', '4:46 there is no rule with reason 2 => 1'],
    ['{ name: t, given: [], expect: [{ reason: 1, action: 3 }] }', '4:57 rule 1 does not request action 3 => 2'],
    ['{ name: t, given: [], expect: [{ at: +1s }] }', '4:36 the expectation has no reason => { reason: 101, at: +5s }'],
    [
      '{ name: t, given: [{ login: { a: *b } }], expect: [] }',
      "4:38 a policy can't use anchors and aliases => the text itself, without an anchor or alias",
    ],
  ])('%s', (test, expected) => {
    expect(mistakesOf(`${rule}  - ${test}`)).toContain(expected);
  });

  it('reports all mistakes in it', () => {
    const wrong = '{ at: 5, facts: { ip.vald: true }, login: { channelId: one } }';
    const mistakes = mistakesOf(
      `${rule}  - { name: t, given: [${wrong}], expect: [{ reason: 2 }] }\n  - { name: t, given: [], expect: 1 }\n  - { given: [${wrong}], expect: [] }`,
    );
    const starts = ['4:30 at is 5', '4:42 there is no fact ip.vald', '4:79 login.channelId', '4:108 there is no rule'];
    for (const start of [...starts, '5:5 there are two tests "t"', '6:21 at is 5', '6:70 login.channelId'])
      expect(mistakes).toContainEqual(expect.stringContaining(start));
  });

  it('needs a unique name', () => {
    expect(mistakesOf(`${rule}  - { name: t, given: [], expect: [] }\n  - { name: t, given: [], expect: [] }`)).toEqual(
      ['5:5 there are two tests "t" => another name'],
    );
  });
});
