import { describe, expect, it } from 'vitest';
import { localWebhooks, parseCidr } from '../src/address-guard.ts';
import { webhookUrlProblem, type WebhookUrlRules } from '../src/webhook-url.ts';

const lan = [parseCidr('10.0.0.0/8') ?? []].flat();
const production: WebhookUrlRules = { name: 'acme', environment: 'production', allow: [] };
const productionLan: WebhookUrlRules = { name: 'acme', environment: 'production', allow: lan };
const development: WebhookUrlRules = { name: 'acme', environment: 'development', allow: [] };
const developmentLocal: WebhookUrlRules = { name: 'acme', environment: 'development', allow: localWebhooks };
const productionLocal: WebhookUrlRules = { name: 'acme', environment: 'production', allow: localWebhooks };

/** The network 10.0.0.0/8 for some workspaces and ports alone. */
const scoped = (name: string, environment: WebhookUrlRules['environment']): WebhookUrlRules => ({
  name,
  environment,
  allow: lan.map((range) => ({ ...range, ports: [443, 8443], workspaces: ['acme/production', 'umbrella'] })),
});

describe('a URL that is allowed as a webhook', () => {
  it.each([
    ['https://10.1.2.3/hook', scoped('acme', 'production')],
    ['https://10.1.2.3:8443/hook', scoped('umbrella', 'production')],
    ['http://10.1.2.3:8443/hook', scoped('umbrella', 'development')],
    ['https://bank.example/hook', production],
    ['https://bank.example:8443/hook?tenant=1', production],
    ['https://8.8.8.8/hook', production],
    ['https://[2606:4700::1111]/hook', production],
    ['https://bücher.example/', production],
    ['https://10.1.2.3/hook', productionLan],
    ['http://10.1.2.3/hook', productionLan],
    ['http://bank.internal/hook', productionLan],
    ['http://bank.example/hook', development],
    ['http://8.8.8.8/hook', development],
    ['http://127.0.0.1:9000/', developmentLocal],
    ['http://[::1]:9000/', developmentLocal],
    ['http://localhost:9000/', developmentLocal],
  ] as const)('%s', (url, rules) => {
    expect(webhookUrlProblem(url, rules)).toBeUndefined();
  });
});

/** The spelling does not matter: the address counts. */
describe('a URL that is not allowed as a webhook', () => {
  it.each([
    ['https://10.1.2.3/hook', scoped('acme', 'development'), 'for this workspace and port 443'],
    ['https://10.1.2.3/hook', scoped('other', 'production'), 'for this workspace and port 443'],
    ['https://10.1.2.3/hook', scoped('umbrella/production', 'production'), 'for this workspace and port 443'],
    ['https://10.1.2.3:5432/hook', scoped('acme', 'production'), 'for this workspace and port 5432'],
    ['http://10.1.2.3/hook', scoped('acme', 'production'), 'for this workspace and port 80'],
    ['http://bank.internal:5432/hook', scoped('acme', 'production'), 'production requires https'],
    ['', production, 'not a URL'],
    ['bank.example/hook', production, 'not a URL'],
    ['https://', production, 'not a URL'],
    ['ftp://bank.example/', production, 'neither https'],
    ['file:///etc/passwd', production, 'neither https'],
    ['gopher://bank.example/', production, 'neither https'],
    ['http://bank.example/hook', production, 'production requires https'],
    ['http://8.8.8.8/hook', production, 'production requires https'],
    ['http://8.8.8.8/hook', productionLan, 'production requires https'],
    ['https://user@bank.example/', production, 'user name'],
    ['https://bank.example@127.0.0.1/', production, 'user name'],
    ['https://bank.example/#x', production, 'fragment'],
    ['https://127.0.0.1/', production, 'loopback'],
    ['https://2130706433/', production, '127.0.0.1'],
    ['https://0x7f000001/', production, '127.0.0.1'],
    ['https://0x7f.1/', production, '127.0.0.1'],
    ['https://0177.0.0.1/', production, '127.0.0.1'],
    ['https://017700000001/', production, '127.0.0.1'],
    ['https://127.1/', production, '127.0.0.1'],
    ['https://127.0.0.1./', production, '127.0.0.1'],
    ['https://①②⑦.⓪.⓪.①/', production, '127.0.0.1'],
    ['https://127。0。0。1/', production, '127.0.0.1'],
    ['https://0/', production, 'unspecified'],
    ['https://[::1]/', production, 'loopback'],
    ['https://[::ffff:127.0.0.1]/', production, 'loopback'],
    ['https://[::ffff:a9fe:a9fe]/', production, 'metadata'],
    ['https://[64:ff9b::a9fe:a9fe]/', production, 'transition'],
    ['https://[fe80::1%25eth0]/', production, 'not a URL'],
    ['https://169.254.169.254/latest/meta-data', production, 'metadata'],
    ['https://10.1.2.3/', production, 'private'],
    ['http://127.0.0.1:8080/', development, 'RINGFENCE_ALLOW_LOCAL_WEBHOOKS'],
    ['http://10.1.2.3/', developmentLocal, 'private'],
    ['https://127.0.0.1/', productionLocal, 'loopback'],
    ['http://bank.example/', productionLocal, 'production requires https'],
    [`https://bank.example/${'x'.repeat(2_100)}`, production, 'longer'],
  ] as const)('%s', (url, rules, words) => {
    expect(webhookUrlProblem(url, rules)).toContain(words);
  });
});
