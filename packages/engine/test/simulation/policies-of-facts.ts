import { eventKinds } from '@ringfence/contract';
import { type FactType, factDefinitions } from '@ringfence/policy';
import { policyOf } from '../log-builder.ts';

/** Facts that only histories with a policy of their own read: the digests of the others are stored. */
const ofLogins = /^client\.loginSurprise/;

/** Facts that one rule shows, because conditions have a bounded size. */
const factsPerRule = 20;

/** Reads the fact, and is true whether it is present or missing. */
function shown({ path, type }: { readonly path: string; readonly type: FactType }): string {
  return type === 'map' ? `(has(${path}["note"]) || !has(${path}["note"]))` : `(has(${path}) || !has(${path}))`;
}

/** Shadow rules that show every existing fact, on every kind of event that can have it. */
function showingRules(): string {
  const rules: string[] = [];
  let reason = 1_000;
  for (const kind of eventKinds) {
    const facts = factDefinitions.filter(({ on, path }) => on.has(kind) && !ofLogins.test(path));
    for (let at = 0; at < facts.length; at += factsPerRule) {
      const when = facts
        .slice(at, at + factsPerRule)
        .map(shown)
        .join(' && ');
      rules.push(
        `  - { reason: ${reason++}, name: shows facts of a ${kind} from ${at}, on: [${kind}], when: ${JSON.stringify(when)}, then: { action: 3, message: m }, mode: shadow, group: verdict }\n`,
      );
    }
  }
  return rules.join('');
}

const policy = (limit: number): string => `
actions:
  6: { name: Step-up authentication, trusts: device }
  7: { name: Step-up by a key, trusts: { device: [passkey, token] } }
  8: { name: Ask to confirm, stepUp: true }
lists: { watched: { of: payee.id, live: true } }
groups: { verdict: { priority: 1 } }
features:
  deviceClients: { distinct: client.id, by: device.id, over: 7d }
  printClients: { distinct: client.id, by: device.print, over: 7d, on: [login] }
  countrySum: { sum: order.amount, by: ip.country, over: ${limit}h }
  placesSeen: { distinct: ip.country, by: client.id, over: 3d, on: [login] }
  chargebacks: { count: true, by: payee.id, over: 3d, where: 'outcome.kind == "chargeback" && outcome.stage != "won"' }
  losses: { sum: outcome.loss, by: client.id, over: ${limit}h, on: [outcome] }
  deviceFrauds: { count: true, by: device.id, over: 7d, on: [outcome], where: 'outcome.kind == "fraud" || outcome.method == "token"' }
rules:
  - reason: 100
    name: steps up on a device that nobody trusts, and on most payments
    on: [login, operation]
    when: device.trusted == false || order.amount > 5
    then: { action: 6, message: "{{device.id}}" }
    mode: live
  - reason: 110
    name: steps up again, some of them capped
    on: [operation]
    when: order.amount > 50 && device.trusted
    then: [{ action: 6, message: again }, { action: 2, message: "{{device.id}} {{ip.country}}" }]
    mode: live
    maxActions: 2 per hour
  - reason: 120
    name: closes and blocks
    on: [login, operation]
    when: deviceClients > 1 || travel.impossible
    then: [{ action: 2, message: "{{deviceClients}}" }, { action: 1, message: blocked }]
    mode: live
    maxActions: [6 per hour, 2 per day per client]
    cooldown: 10m per client
  - reason: 130
    name: watched
    on: [operation]
    when: payee.id in lists.watched
    then: { action: 4, message: "{{payee.id}} {{transaction.description}}" }
    mode: live
    score: 20
  - reason: 140
    name: a country that pays much, or a print of many
    on: [operation]
    when: countrySum > ${limit * 10}
    then: { action: 5, message: "{{countrySum}}", format: html }
    mode: live
    share: 50%
    score: 5
  - reason: 145
    name: asks again after what was reported
    on: [login, operation]
    when: client.stepUpsFailed > 0 || chargebacks > 1 || losses > 20 || deviceFrauds > 0 || order.amount < 40
    then: [{ action: 7, message: "{{chargebacks}} {{losses}} {{deviceFrauds}}" }, { action: 8, message: "{{client.lastOutcome}}" }]
    mode: live
  - { reason: 150, name: places, on: [login], when: 'placesSeen > 1 || printClients > 2', then: { action: 3, message: "{{placesSeen}}" } }
${showingRules()}`;

/** Every fact, devices trusted by a step-up, caps of both kinds, lists; the second policy has one new feature. */
export const policiesOfFacts = [policyOf(policy(24)), policyOf(policy(48))];
