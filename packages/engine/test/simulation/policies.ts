import { sha256, writeArtifact } from '@ringfence/models';
import type { PolicyFile } from '@ringfence/policy';
import { policyOf } from '../log-builder.ts';

const operations = `
  clientCount: { count: true, by: client.id, over: 6h }
  clientSum: { sum: order.amount, by: account.client, over: 24h }
  clientLarge: { count: true, by: account.client, over: 3d, where: 'order.amount > 50' }
  payeeClients: { distinct: account.client, by: payee.id, over: 24h }
  payeeFirst: { firstSeen: true, by: [account.client, payee.id] }
  ipSum: { sum: order.amount, by: session.ip, over: 12h }
  mismatches: { count: true, by: [client.id, session.mismatch], over: 24h }
`;

const rules = `
rules:
  - reason: 100
    name: often
    on: [login, operation]
    when: clientCount > 4
    then: { action: 2, message: "{{client.id}} {{clientCount}}" }
    mode: live
    cooldown: 10m per session
  - reason: 200
    name: large
    on: [operation]
    when: clientSum > 150 || clientLarge > 3
    then: [{ action: 1, message: "{{clientSum}}" }, { action: 3, message: mail }]
    mode: live
    maxActions: 5 per hour
  - reason: 300
    name: new payee of many
    on: [operation]
    when: payeeFirst < 1h && payeeClients > 1
    then: { action: 4, message: "{{payee.id}}" }
    mode: shadow
    cooldown: 1h per client
  - reason: 400
    name: one address
    on: [operation]
    when: ipSum > 100 && session.ipChanged
    then: { action: 5, message: "{{ipSum}}" }
    mode: live
  - reason: 500
    name: no session
    on: [operation]
    when: mismatches > 1 && session.mismatch != "none"
    then: { action: 2, message: "{{session.mismatch}}" }
    mode: live
  - reason: 600
    name: blocked
    on: [login, logout, operation]
    when: client.blocked || session.closedBy == "action"
    then: { action: 3, message: "{{session.closedBy}}" }
    mode: live
  - reason: 700
    name: repeated
    on: [login, logout, operation]
    when: event.repeats > 0 || client.sessionsOpen > 2
    then: { action: 3, message: "{{event.repeats}}" }
    mode: shadow
`;

const more = `
  clientAvg: { avg: order.amount, by: account.client, over: 30d }
  clientMax: { max: order.amount, by: account.client, over: 6h }
  clientPayees: { distinct: payee.id, by: account.client, over: 24h }
  clientLast: { lastSeen: true, by: account.client, where: 'order.amount > 20' }
`;

const moreRules = `
  - reason: 800
    name: above the habit
    on: [operation]
    when: order.amount > 2 * clientAvg || clientMax < 30
    then: { action: 1, message: "{{clientAvg}}" }
    mode: live
  - reason: 900
    name: many payees, soon
    on: [operation]
    when: clientPayees > 3 || clientLast < 5m
    then: { action: 2, message: "{{clientPayees}} {{clientLast}}" }
    mode: live
    maxActions: 3 per day
    score: 20
  - reason: 910
    name: scored, for some clients
    on: [operation]
    when: order.amount > 15
    then: { action: 3, message: "{{order.amount}}" }
    share: 60%
    score: 15
    maxActions: 2 per hour per client
  - reason: 915
    name: watched
    on: [operation]
    when: payee.id in lists.watched
    then: { action: 2, message: watched }
  - reason: 920
    name: much of it
    on: [operation]
    when: event.score >= 35
    then: { action: 4, message: "{{event.score}}" }
    group: verdict
  - reason: 930
    name: some of it
    on: [operation]
    when: event.score >= 15
    then: { action: 3, message: "{{event.score}}" }
    group: verdict
`;

const groups = 'lists: { watched: { of: payee.id, live: true } }\ngroups: { verdict: { priority: 1, match: first } }\n';

/** The policies that a history switches between: features stay, come, go and return. */
export const policies = [
  policyOf(`features:\n${operations}${rules}`),
  policyOf(`${groups}features:\n${operations}${more}${rules}${moreRules}`),
  policyOf(`features:\n${operations.replace('over: 24h', 'over: 48h')}${rules}`),
];

const kinds = `
  count: { count: true, by: client.id, over: 6h }
  sum: { sum: order.amount, by: client.id, over: 24h }
  avg: { avg: order.amount, by: client.id, over: 3d }
  min: { min: order.amount, by: client.id, over: 12h }
  max: { max: order.amount, by: payee.id, over: 12h }
  distinct: { distinct: client.id, by: payee.id, over: 24h }
  firstSeen: { firstSeen: true, by: [client.id, payee.id] }
  lastSeen: { lastSeen: true, by: client.id, where: 'order.amount > 20' }
  stddev: { stddev: order.amount, by: client.id, over: 3d }
  median: { median: order.amount, by: client.id, over: 24h }
  percentile: { percentile: order.amount, at: 90, by: payee.id, over: 3d }
  previous: { previous: payee.id, by: client.id, over: 24h }
  rate: { rate: order.amount, per: 1h, by: client.id, over: 12h }
  topShare: { topShare: payee.id, by: client.id, over: 3d }
  habit: { habit: event.hour, by: client.id, over: 3d }
  profile: { profile: order.amount, by: client.id, halfLife: 12h }
  fraudShare: { fraudShare: true, after: 1h, by: payee.id, over: 3d, on: operation }
  ratio: { ratio: sum, to: avg }
`;

const kindRules = `
rules:
  - { reason: 100, name: counts, on: [operation], when: 'count > 3 || distinct > 2', then: { action: 2, message: "{{count}} {{distinct}}" } }
  - { reason: 200, name: numbers, on: [operation], when: 'sum > 150 || avg > 40 || min < 6 || max > 90', then: { action: 3, message: "{{sum}} {{avg}} {{min}} {{max}}" } }
  - { reason: 300, name: times, on: [operation], when: 'firstSeen < 2h || lastSeen < 1h', then: { action: 3, message: "{{firstSeen}} {{lastSeen}}" }, cooldown: 10m per session }
  - { reason: 400, name: spreads, on: [operation], when: 'order.amount > median || order.amount >= percentile || stddev > 10', then: { action: 4, message: "{{median}} {{percentile}} {{stddev}}" }, mode: shadow }
  - { reason: 500, name: habits, on: [operation], when: 'previous != payee.id || topShare < 0.7 || habit < 0.3', then: { action: 3, message: "{{previous}} {{topShare}} {{habit}}" } }
  - { reason: 600, name: usual, on: [operation], when: 'zscore(order.amount, profile) > 1.0 || ratio > 2.0 || rate > 10', then: { action: 5, message: "{{profile}} {{ratio}} {{rate}}" } }
  - { reason: 910, name: told, on: [operation], when: 'fraudShare > 0.1', then: { action: 1, message: "{{fraudShare}}" } }
`;

/** Every kind of feature; the second policy has new ones among them. */
export const policiesOfKinds = [
  policyOf(`features:\n${kinds}${kindRules}`),
  policyOf(`features:\n${kinds.replaceAll('over: 3d', 'over: 2d')}${kindRules}`),
];

/** Each kind of feature that counts the event itself, without it. */
const before = kinds
  .split('\n')
  .filter((line) => !/lastSeen|previous|habit|profile|fraudShare|ratio/.test(line))
  .map((line) => line.replace(':', 'Before:').replace(' }', ', excluding: this }'))
  .join('\n');

const beforeRules = `
  - { reason: 700, name: above those before, on: [operation], when: 'order.amount > 2 * avgBefore || countBefore > 2 || maxBefore < order.amount', then: { action: 4, message: "{{avgBefore}} {{countBefore}} {{minBefore}} {{maxBefore}} {{stddevBefore}}" } }
  - { reason: 710, name: other than those before, on: [operation], when: 'sumBefore > 100 || distinctBefore > 1 || topShareBefore < 0.6', then: { action: 3, message: "{{sumBefore}} {{distinctBefore}} {{topShareBefore}}" } }
  - { reason: 720, name: more than those before, on: [operation], when: 'order.amount > medianBefore || rateBefore > 5 || firstSeenBefore > 1h', then: { action: 5, message: "{{medianBefore}} {{percentileBefore}} {{rateBefore}} {{firstSeenBefore}}" } }
`;

/** The same with features that leave out the event itself: they share their state with the others, or come and go. */
export const policiesExcluding = [
  policyOf(`features:\n${kinds}${before}${kindRules}${beforeRules}`),
  policyOf(`features:\n${kinds.replaceAll('over: 3d', 'over: 2d')}${before}${kindRules}${beforeRules}`),
  policiesOfKinds[0]!,
];

const overLabels = `
features:
  fraudShare: { fraudShare: true, after: 1h, by: payee.id, over: 3d, on: operation }
  fraudRun: { fraudRun: true, after: 1h, by: payee.id, over: 3d, on: operation }
  fraudRunAge: { fraudRunAge: true, after: 2h, by: client.id, over: 3d, on: operation }
  sinceFraud: { sinceFraud: true, after: 1h, by: payee.id, over: 3d, on: operation }
  sinceClear: { sinceClear: true, after: 2h, by: client.id, over: 3d, on: operation }
rules:
  - { reason: 910, name: told, on: [operation], when: 'fraudShare > 0.1 || fraudRun > 0', then: { action: 1, message: "{{fraudShare}} {{fraudRun}}" } }
  - { reason: 911, name: told of a run, on: [operation], when: 'fraudRunAge > 3h || sinceFraud < 12h || sinceClear > 1d', then: { action: 3, message: "{{fraudRunAge}} {{sinceFraud}} {{sinceClear}}" } }
`;

const stump = (input: number, threshold: number) => ({
  input: [input, -1, -1],
  value: [threshold, -1.3, 2.1],
  left: [1, 0, 0],
  right: [2, 0, 0],
  missingLeft: [1, 0, 0],
  cover: [3, 2, 1],
});
const model: PolicyFile = {
  path: 'model.json',
  text: writeArtifact({
    format: 'ringfence-model/1',
    inputs: ['amount', 'run', 'sinceClear'].map((name) => ({ name, kind: 'number' })),
    precision: 'double',
    comparison: '<=',
    base: -1,
    trees: [stump(0, 40), stump(1, 0), stump(2, 7_200), stump(0, 80)],
    scores: { margins: [-5, -1, 5], shares: [0, 0.5, 1] },
  }),
};
const ofModel = `
models:
  labels:
    on: operation
    artifact: model.json
    sha256: "${sha256(model.text)}"
    inputs: { amount: order.amount, run: fraudRun, sinceClear: sinceClear }
    control: { share: 10%, upTo: 1000, currency: EUR }
`;
const modelRule = `  - { reason: 912, name: modelled, on: [operation], when: 'model.labels.score > 500 && model.labels.p > 0.1', then: { action: 4, message: "{{model.labels.p}} {{model.labels.missing}}" } }
`;

/** Every kind of feature over labels, and a model that reads some of them: they share their state, or come and go. */
export const policiesOverLabels = [
  policyOf(`${ofModel}${overLabels}${modelRule}`, model),
  policyOf(overLabels.replaceAll('over: 3d', 'over: 2d')),
  policiesOfKinds[0]!,
];
