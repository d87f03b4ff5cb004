import { describe, expect, it } from 'vitest';
import { printBanner } from '../../src/config/banner.ts';

const still = {
  listenUrl: 'http://127.0.0.1:8080',
  managementUrl: 'http://127.0.0.1:8081',
  consoleUrl: 'http://127.0.0.1:8081/console/',
  firstLink: undefined,
  adminTokenPath: '/srv/ringfence/secrets/admin-token',
  home: '/srv/ringfence',
  startedWith: {},
  database: 'embedded PostgreSQL under /srv/ringfence/database',
  newKeys: [],
};
const newKeys = [
  { label: 'default/development', environment: 'development', key: 'rf_test_0000' },
  { label: 'default/production', environment: 'production', key: 'rf_live_1111' },
] as const;

describe('the banner', () => {
  it('of a first start shows each new key, how to go live, and a command to try', () => {
    const banner = printBanner({ ...still, newKeys });
    expect(banner).toContain('    default/development  rf_test_0000\n    default/production   rf_live_1111\n');
    expect(banner).toContain('ringfence workspace set default/development webhook.url=');
    expect(banner).toContain(
      "curl -i http://127.0.0.1:8080/api-dev/v5/analytics/app/login \\\n      -H 'Authorization: Bearer rf_test_0000'",
    );
    const body = /-d '(.*)'/.exec(banner)?.[1];
    expect(JSON.parse(body!)).toEqual({
      channelId: 1,
      user: 'alice',
      session: 's-1',
      publicIp: '203.0.113.7',
      data: '',
    });
  });

  it('shows commands that work unchanged: with the options of the installation and a local address', () => {
    const listenUrl = 'https://0.0.0.0:8443';
    const banner = printBanner({ ...still, listenUrl, newKeys, startedWith: { config: 'bank.yaml' } });
    expect(banner).toContain('Events      https://0.0.0.0:8443 ');
    expect(banner).toContain('curl -ik https://127.0.0.1:8443/api-dev/');
    expect(banner).toContain('deliver=live --config bank.yaml\n');
    expect(banner).toContain('npx ringfence events tail --config bank.yaml\n');
    expect(printBanner({ ...still, listenUrl: 'http://[::]:80', newKeys })).toContain('curl -i http://[::1]:80/');
  });

  it('quotes words that a shell would interpret', () => {
    const startedWith = { config: "/srv/ana's files/bank.yaml", home: '/srv/ring fence' };
    const [development] = newKeys;
    const banner = printBanner({
      ...still,
      newKeys: [{ ...development, label: 'first bank/development' }],
      startedWith,
    });
    expect(banner).toContain("workspace set 'first bank/development' webhook.url=");
    expect(banner).toContain(`events tail --config '/srv/ana'\\''s files/bank.yaml' --home '/srv/ring fence'\n`);
  });

  it('with only a production workspace uses it in the command to try', () => {
    expect(printBanner({ ...still, newKeys: newKeys.slice(1) })).toContain('8080/api/v5/analytics/app/login');
  });

  it('shows the link for the first administrator as long as there is none', () => {
    const firstLink = 'http://127.0.0.1:8081/console/first#token=abc';
    expect(printBanner({ ...still, firstLink })).toContain(`(works once, for one hour):\n    ${firstLink}\n`);
    expect(printBanner(still)).not.toMatch(/token=|administrator/);
    expect(printBanner(still)).toContain('Console     http://127.0.0.1:8081/console/\n');
  });

  it('of a later start shows the addresses and no keys', () => {
    const banner = printBanner(still);
    expect(banner).toContain('Management  http://127.0.0.1:8081   admin token: /srv/ringfence/secrets/admin-token');
    expect(banner).not.toMatch(/key|curl/i);
    expect(printBanner({ ...still, adminTokenPath: undefined })).toContain('admin token: RINGFENCE_ADMIN_TOKEN');
  });
});
