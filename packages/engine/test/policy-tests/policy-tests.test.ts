import { loadPolicy, type Policy, type PolicyFile } from '@ringfence/policy';
import { describe, expect, it } from 'vitest';
import {
  rulesTestedInPacks,
  runPolicyTests,
  type TestReport,
  unfiredRules,
  unmissedRules,
} from '../../src/policy-tests/policy-tests.ts';
import { defaultSettings } from '../../src/state.ts';
import { policyOf } from '../log-builder.ts';

const rules = `
rules:
  - reason: 101
    name: a large amount
    on: [operation]
    when: order.amount > 100
    then: [{ action: 2, message: close }, { action: 4, message: sms }]
    mode: live
    cooldown: 15m per session
  - reason: 102
    name: after we closed it
    on: [operation]
    when: session.closedBy == "action"
    then: { action: 1, message: block }
    mode: shadow
  - reason: 103
    name: never
    on: [logout]
    when: channelId == 99
    then: { action: 3, message: mail }
    mode: live
  - reason: 104
    name: off
    on: [logout]
    when: channelId == 99
    then: { action: 3, message: mail }
    mode: off
`;

const login = '{ at: +0s, login: { channelId: 1, user: ana, session: s1, publicIp: 192.0.2.1, data: blob } }';
const operation = (at: string, amount: number): string =>
  `{ at: ${at}, operation: { channelId: 1, account: { client: ana, session: s1 }, order: { amount: ${amount}, currency: EUR } } }`;

function reportOf(given: readonly string[], expected: string): TestReport {
  const text = `${rules}
tests:
  - name: a test
    given:
${given.map((event) => `      - ${event}\n`).join('')}
    expect: ${expected}
`;
  return runPolicyTests(policyOf(text))[0]!;
}

it('gives logins that a backend reports late their own times', () => {
  const rule = 'reason: 1, name: travel, on: login, when: travel.impossible, then: { action: 2 }';
  const place = (of: string, latitude: number, time: string): string =>
    `{ at: +0s, login: { channelId: 1, user: ${of}, publicIp: 192.0.2.1, data: "", timestamp: "${time}" }, facts: { ip.latitude: ${latitude}, ip.longitude: 0, ip.accuracyKm: 1 } }`;
  const test = (name: string, second: string, expected: string): string =>
    `{ name: ${name}, given: [${place('ana', 0, '2026-01-05T02:00:00Z')}, ${place('ana', 40, second)}], expect: [${expected}] }`;
  const text = `
rules: [{ ${rule} }]
tests: [${test('ten hours apart', '2026-01-05T12:00:00Z', '')}, ${test('one hour apart', '2026-01-05T03:00:00Z', '{ reason: 1 }')}]
`;
  expect(runPolicyTests(policyOf(text)).map(({ differences }) => differences)).toEqual([[], []]);
});

it("uses the test's own time zone, or else that of the given workspace settings", () => {
  const rule = 'reason: 1, name: night, on: login, when: hour(event.at) == 21, then: { action: 2 }';
  const test = (name: string, expected: string): string =>
    `{ name: ${name}, given: [${login}], expect: [${expected}] }`;
  // A test begins at noon UTC, which is 21:00 in Tokyo.
  const policy = policyOf(`rules: [{ ${rule} }]
tests:
  - ${test('here', '')}
  - ${test('there, timezone: Asia/Tokyo', '{ reason: 1 }')}
`);
  const passed = (reports: readonly TestReport[]): readonly boolean[] => reports.map((report) => report.passed);
  expect(passed(runPolicyTests(policy))).toEqual([true, true]);
  expect(passed(runPolicyTests(policy, { ...defaultSettings, timezone: 'Asia/Tokyo' }))).toEqual([false, true]);
});

it("reads a time without a zone in the test's time zone", () => {
  const policy = policyOf(`rules:
  - { reason: 1, name: at ten, on: operation, when: event.timeStated && hour(event.at) == 22, then: { action: 2 } }
tests:
  - name: at one in UTC
    timezone: Asia/Tokyo
    given:
      - ${login}
      - ${operation('+1h', 10).replace('order:', 'timestamp: "2026-01-05T22:00:00", order:')}
    expect: [{ reason: 1, at: +1h }]
`);
  expect(runPolicyTests(policy)[0]?.differences).toEqual([]);
});

it('counts money in the currency of the event, however its code is written', () => {
  const paid = (at: string, order: string): string =>
    `{ at: ${at}, operation: { channelId: 1, account: { client: ana, session: s1 }, order: { ${order} } } }`;
  const given = [
    login,
    paid('+1s', 'amount: 10, currency: MXN'),
    paid('+2s', 'amount: 1000, currency: USD'),
    paid('+3s', 'amount: 30, currency: mxn'),
    paid('+4s', 'amount: 40, currency: EUR'),
    paid('+5s', 'amount: 50'),
    paid('+6s', 'amount: 60'),
    paid('+7s', 'currency: USD'),
  ];
  const firing = (reason: number, when: string): string =>
    `  - { reason: ${reason}, name: r${reason}, on: operation, when: '${when}', then: { action: 2 } }`;
  const policy = policyOf(`features:
  before: { previous: order.amount, by: client.id, over: 1h }
  sum: { sum: order.amount, by: client.id, over: 1h }
  amounts: { distinct: order.amount, by: client.id, over: 1h }
rules:
${firing(1, 'before == 10 && sum == 40')}
${firing(2, 'before == 50 && sum == 110')}
${firing(3, 'before == 1000 && sum == 1000')}
${firing(4, 'has(before)')}
${firing(5, 'amounts == 6')}
tests:
  - name: currencies
    given:
      - ${given.join('\n      - ')}
    expect:
      - { reason: 1, at: +3s }
      - { reason: 2, at: +6s }
      - { reason: 3, at: +7s }
      - { reason: 4, at: +3s }
      - { reason: 4, at: +6s }
      - { reason: 4, at: +7s }
      - { reason: 5, at: +6s }
      - { reason: 5, at: +7s }
`);
  expect(runPolicyTests(policy)[0]!.differences).toEqual([]);
});

it('reads amounts digit by digit, and shows them unchanged', () => {
  const firing = (reason: number, when: string): string =>
    `  - { reason: ${reason}, name: r${reason}, on: operation, when: '${when}', then: { action: 2 } }`;
  const paid = (at: string, amount: string): string =>
    `{ at: ${at}, operation: { channelId: 1, account: { client: ana, session: s1 }, order: { amount: ${amount}, currency: EUR } } }`;
  const policy = policyOf(`rules:
${firing(1, 'order.amountText == "10.10"')}
${firing(2, 'order.amount == 123456789012345678.12')}
tests:
  - name: as they are written
    given:
      - ${[login, paid('+1s', '10.10'), paid('+2s', '123456789012345678.12')].join('\n      - ')}
    expect: [{ reason: 1, at: +1s }, { reason: 2, at: +2s }]
  - name: as they are shown
    given: [${login}, ${paid('+1s', '10.100')}]
    expect: [{ reason: 1 }]
`);
  expect(runPolicyTests(policy).map(({ differences }) => differences)).toEqual([
    [],
    ['expected rule 1: it never fired; at +1s order.amountText == "10.10" did not hold (order.amountText = 10.100)'],
  ]);
});

const burst = [login, operation('+1s', 200)];

describe("a policy's own test", () => {
  it.each<[string, readonly string[], string]>([
    ['names the rule', burst, '[{ reason: 101 }]'],
    ['names an action of it', burst, '[{ reason: 101, action: 4 }]'],
    ['names both its actions', burst, '[{ reason: 101, action: 2 }, { reason: 101, action: 4, at: +1s }]'],
    ['names the time', burst, '[{ reason: 101, at: +1s }]'],
    ['expects nothing, and nothing comes', [login, operation('+1s', 100)], '[]'],
    ['does not see what is within a cooldown', [...burst, operation('+2s', 300)], '[{ reason: 101, at: +1s }]'],
    [
      'has an executed action',
      [...burst, '{ at: +2s, executed: { reason: 101, action: 2 } }', operation('+9s', 10)],
      '[{ reason: 101 }, { reason: 102, action: 1, at: +9s }]',
    ],
    ['sees an operation that waited in vain', [operation('+0s', 200)], '[{ reason: 101, at: +0s }]'],
    [
      'states its own times',
      [login, operation('+1s', 200).replace('channelId: 1,', 'channelId: 1, timestamp: "2026-01-05T12:00:01Z",')],
      '[{ reason: 101 }]',
    ],
  ])('passes when it %s', (_, given, expected) => {
    expect(reportOf(given, expected)).toMatchObject({ passed: true, differences: [] });
  });

  it.each<[string, readonly string[], string, readonly string[]]>([
    [
      'a rule never fired',
      [login, operation('+1s', 100)],
      '[{ reason: 101, action: 2, at: +1s }]',
      [
        'expected rule 101 with action 2 at +1s: it never fired; at +1s order.amount > 100 did not hold (order.amount = 100)',
      ],
    ],
    [
      'it fired at another time',
      burst,
      '[{ reason: 101, at: +5s }]',
      ['expected rule 101 at +5s: it fired at +1s', 'rule 101 fired at +1s, but was not expected (order.amount = 200)'],
    ],
    ['a rule fired unexpectedly', burst, '[]', ['rule 101 fired at +1s, but was not expected (order.amount = 200)']],
    [
      'one firing is expected twice',
      burst,
      '[{ reason: 101, action: 2 }, { reason: 101, action: 2 }]',
      ['expected rule 101 with action 2: it fired at +1s'],
    ],
    [
      'it does not mention a shadow rule that fires',
      [...burst, '{ at: +2s, executed: { reason: 101, action: 2 } }', operation('+9s', 10)],
      '[{ reason: 101 }]',
      ['rule 102 fired at +9s, but was not expected (session.closedBy = action)'],
    ],
    [
      'a shadow rule that it names fired more often',
      [...burst, '{ at: +2s, executed: { reason: 101, action: 2 } }', operation('+9s', 10), operation('+10s', 10)],
      '[{ reason: 101 }, { reason: 102, at: +9s }]',
      ['rule 102 fired at +10s, but was not expected (session.closedBy = action)'],
    ],
    ['a shadow rule that it names never fired', burst, '[{ reason: 101 }, { reason: 102 }]', [expect.any(String)]],
    [
      'an action is executed that was never requested',
      [login, '{ at: +2s, executed: { reason: 101, action: 2 } }'],
      '[]',
      ['action 2 of rule 101 was not requested before +2s'],
    ],
  ])('reports in words that %s', (...[, given, expected, differences]) => {
    expect(reportOf(given, expected)).toMatchObject({ passed: false, differences });
  });

  describe('contains what the bank reports', () => {
    const asking = `
actions: { 6: { name: Step-up, stepUp: true } }
features: { frauds: { count: true, by: client.id, over: 1d, where: 'outcome.kind == "fraud"' } }
rules:
  - { reason: 1, name: asks, on: [operation], when: 'order.amount > 100', then: { action: 6, message: m } }
  - { reason: 2, name: failed, on: [operation], when: 'client.stepUpsFailed > 0 || frauds > 0', then: { action: 2 } }
`;
    const paid = (at: string, amount: number): string =>
      `{ at: ${at}, operation: { channelId: 1, account: { client: ana }, order: { amount: ${amount} }, transaction: { reference: R${amount} } } }`;

    it.each<[string, readonly string[]]>([
      ['{ outcome: stepUpFailed, reason: 1 }', []],
      ['{ outcome: stepUpAbandoned, reason: 1, action: 6 }', []],
      ['{ outcome: fraud }', []],
      ['{ outcome: fraud, reference: R200 }', []],
      ['{ outcome: stepUpPassed, reason: 1 }', ['expected rule 2: it never fired; ']],
      ['{ outcome: stepUpFailed, reason: 2 }', ['stepUpFailed: no step-up of rule 2 was requested before +30s']],
      ['{ outcome: fraud, reason: 2, action: 2 }', ['fraud: action 2 of rule 2 was not requested before +30s']],
      ['{ outcome: fraud, reference: R7 }', ['fraud: there is no operation with reference R7 before +30s']],
    ])('%s', (outcome, differences) => {
      const given = [paid('+0s', 200), `{ at: +30s, outcome: ${outcome} }`, paid('+40s', 5)].join(', ');
      const policy = policyOf(
        `${asking}tests: [{ name: t, given: [${given}], expect: [{ reason: 1 }, { reason: 2 }] }]\n`,
      );
      const told = runPolicyTests(policy)[0]!.differences;
      expect(told).toHaveLength(differences.length);
      for (const [place, start] of differences.entries()) expect(told[place]).toContain(start);
    });
  });

  it('can name a rule that is live for a share of the clients, for any client', () => {
    const few = rules.replace('cooldown: 15m per session', 'share: 0.01%');
    const test = (expected: string): string =>
      `\ntests: [{ name: a test, given: [${burst.join(', ')}], expect: ${expected} }]\n`;
    expect(runPolicyTests(policyOf(few + test('[{ reason: 101 }]')))[0]!.differences).toEqual([]);
    expect(runPolicyTests(policyOf(few + test('[]')))[0]!.differences).toEqual([
      'rule 101 fired at +1s, but was not expected (order.amount = 200)',
    ]);
  });

  it('distinguishes a requested action from a capped one', () => {
    const capped = (expected: string): readonly string[] => {
      const policy = policyOf(`${rules.replace('cooldown: 15m per session', 'maxActions: 2 per hour')}
tests:
  - name: a test
    given:
      - ${[...burst, operation('+2s', 300)].join('\n      - ')}
    expect: ${expected}
`);
      return runPolicyTests(policy)[0]!.differences;
    };
    expect(
      capped('[{ reason: 101, action: 2, at: +1s }, { reason: 101, action: 4, at: +1s }, { reason: 101 }]'),
    ).toEqual([]);
    expect(capped('[{ reason: 101, action: 2 }, { reason: 101, action: 2 }]')).toEqual([
      'expected rule 101 with action 2: it fired at +2s, but maxActions capped the action',
    ]);
    expect(capped('[{ reason: 101 }, { reason: 101, action: 4, at: +2s }]')).toEqual([
      'expected rule 101 with action 4 at +2s: it fired at +2s, but maxActions capped the action',
    ]);
  });

  it('reports the rules that no test fires', () => {
    const policy = policyOf(`${rules}
tests:
  - name: a test
    given:
      - ${burst.join('\n      - ')}
    expect: [{ reason: 101 }]
`);
    expect(unfiredRules(policy, runPolicyTests(policy))).toEqual([102, 103]);
  });

  it('reports the rules that no test nearly fires', () => {
    const policy = policyOf(`${rules}
tests:
  - name: at the edge of rule 101, which needs one part to come out otherwise; of rule 102 too
    given:
      - ${[login, operation('+1s', 100)].join('\n      - ')}
    expect: []
`);
    expect(unmissedRules(policy, runPolicyTests(policy))).toEqual([103]);
  });

  it('does not require tests of rules that are tested in their pack', () => {
    const pack = `pack: { name: p, version: 1, title: P, description: Of others. }
${rules}tests: [{ name: of the pack, given: [${burst.join(', ')}], expect: [{ reason: 101 }] }]
`;
    const own = `use: [p]
rules: [{ reason: 9, name: own, on: operation, when: order.amount > 999, then: { action: 2, message: close } }]
tests: [{ name: of the bank, given: [${operation('+1s', 7)}], expect: [] }]
`;
    const loaded = (files: readonly PolicyFile[]): Policy => {
      const result = loadPolicy(files);
      if (!result.ok) throw new Error(JSON.stringify(result.errors));
      return result.policy;
    };
    const used = loaded([
      { path: 'own.yaml', text: own },
      { path: 'packs/p.yaml', text: pack },
    ]);
    expect(unfiredRules(used, runPolicyTests(used))).toEqual([9]);
    expect(unmissedRules(used, [])).toEqual([9]);
    expect(rulesTestedInPacks(used)).toEqual([101, 102, 103]);
    const alone = loaded([{ path: 'packs/p.yaml', text: pack }]);
    expect(unfiredRules(alone, runPolicyTests(alone))).toEqual([102, 103]);
    expect(rulesTestedInPacks(alone)).toEqual([]);
  });

  it('uses the workspace settings if they are given', () => {
    const policy = policyOf(`${rules}
tests:
  - name: a test
    given:
      - ${[...burst, '{ at: +2s, executed: { reason: 101, action: 2 } }', operation('+9s', 10)].join('\n      - ')}
    expect: [{ reason: 101 }, { reason: 102 }]
`);
    expect(runPolicyTests(policy)[0]!.passed).toBe(true);
    // Observed actions are never sent, so nothing is closed.
    const [observed] = runPolicyTests(policy, { ...defaultSettings, deliver: 'observe' });
    expect(observed!.differences).toEqual([
      'expected rule 102: it never fired; at +9s session.closedBy == "action" did not hold (session.closedBy = none)',
    ]);
  });
});
