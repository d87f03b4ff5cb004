import { policyOf } from '../log-builder.ts';

const policy = (over: string): string => `
features:
  surprise: { max: client.loginSurprise, by: client.id, over: ${over}, on: [login] }
rules:
  - reason: 100
    name: shows how surprising a login is
    on: [login]
    when: has(client.loginSurprise) && has(client.loginSurprisePlace) && has(client.loginSurpriseSoftware) && has(client.loginSurpriseHour)
    then: { action: 3, message: "{{client.loginSurprise}} {{client.loginSurprisePlace}} {{client.loginSurpriseSoftware}} {{client.loginSurpriseHour}}" }
  - reason: 200
    name: blocks after a surprising login
    on: [operation]
    when: surprise > 0.0
    then: { action: 1, message: "{{surprise}}" }
`;

/** What a login shows of habits, with a feature of it; the second policy has a new feature, the third reads none of it. */
export const policiesOfLogins = [
  policyOf(policy('6h')),
  policyOf(policy('1h')),
  policyOf(
    'rules: [{ reason: 300, name: watches, on: [login], when: client.logins > 1, then: { action: 3, message: m } }]\n',
  ),
];
