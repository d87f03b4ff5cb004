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

/** What a history switches between: features stay, come and go, and come again. */
export const policies = [
  policyOf(`features:\n${operations}${rules}`),
  policyOf(`${groups}features:\n${operations}${more}${rules}${moreRules}`),
  policyOf(`features:\n${operations.replace('over: 24h', 'over: 48h')}${rules}`),
];
