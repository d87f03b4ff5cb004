import { policyOf } from '../log-builder.ts';

const policy = (within: string): string => `
actions:
  7: { name: Hold the payment, hold: { release: 8, reject: 9, within: ${within}, otherwise: release } }
  8: { name: Release, message: "Payment {{transaction.reference}} of {{order.amount}} was released." }
  9: { name: Reject, message: "<b>{{transaction.reference}}</b> was rejected.", format: html }
  10: { name: Keep the payment, hold: { release: 8, reject: 9, within: 5m, otherwise: keep } }
features:
  heldBefore: { count: true, by: client.id, over: 6h, where: 'client.heldPayments > 0' }
  paid: { sum: order.amount, by: client.id, over: 24h }
rules:
  - reason: 100
    name: holds large payments
    on: [operation]
    when: order.amount > 50
    then: [{ action: 7, message: "Please confirm {{order.amount}}." }, { action: 4, message: "{{client.heldPayments}}" }]
    cooldown: 10m per session
    maxActions: 3 per hour
  - reason: 200
    name: keeps what goes to one payee
    on: [operation]
    when: payee.id == "B/1" && paid > 20
    then: { action: 10, message: kept }
  - reason: 300
    name: rejects split payments by themselves
    on: [operation]
    when: client.heldPayments > 1 || payee.heldAmount > 150
    then: { action: 7, message: "{{client.heldAmount}} {{payee.heldPayments}}", hold: { within: 1m, otherwise: reject } }
  - reason: 400
    name: blocks after many
    on: [operation]
    when: heldBefore > 6
    then: { action: 1, message: "{{heldBefore}}" }
    cooldown: 1h per client
  - { reason: 500, name: watches, on: [login, operation], when: 'client.heldPayments > 0', then: { action: 3, message: held }, mode: shadow }
`;

/** Payments are held, with every end; a feature counts by a fact about holds. The second one holds for longer. */
export const policiesOfHolds = [
  policyOf(policy('3m')),
  policyOf(policy('20m').replace("where: 'client.heldPayments > 0'", "where: 'order.amount > 10'")),
];
