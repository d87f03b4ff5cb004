import { describe, expect, it } from 'vitest';
import { check } from '../../src/platform/shapes/check.ts';
import { consoleShape, consoleWarning, resolveConsole } from '../../src/config/console.ts';

const openId = {
  issuer: 'https://id.bank.example',
  clientId: 'ringfence',
  roles: [{ value: 'fraud-team', role: 'analyst' }],
};
const origin = 'https://fraud.bank.example';
const mistakes = (value: unknown): readonly string[] => {
  const checked = check(consoleShape, value);
  return checked.ok ? [] : checked.mistakes.map(({ message }) => message);
};

describe('the console section of the file', () => {
  it('is empty by default', () => {
    expect(resolveConsole(undefined)).toEqual({ origin: undefined, openId: undefined });
  });

  it('has defaults for the provider', () => {
    const checked = check(consoleShape, { origin, openId });
    expect(checked.ok && resolveConsole(checked.value).openId).toEqual({
      name: 'OpenID',
      clientSecret: undefined,
      scope: 'openid profile email',
      trustEmail: false,
      rolesClaim: 'groups',
      only: false,
      ...openId,
      roles: [{ value: 'fraud-team', role: 'analyst', workspace: '*' }],
    });
  });

  it.each([
    'https://fraud.bank.example/',
    'fraud.bank.example',
    'ftp://fraud.bank.example',
    'https://bank.example/console',
  ])('refuses the origin %s', (given) => {
    expect(mistakes({ origin: given })[0]).toContain('origin: expected an origin');
  });

  it('requires an origin to which the provider redirects browsers', () => {
    expect(mistakes({ openId })).toEqual(['origin: expected an origin, to which the provider redirects browsers']);
  });

  it('warns if the provider is the only way to log in and grants no role of administrator for everything', () => {
    const warned = (only: boolean, workspace: string, role = 'administrator'): boolean => {
      const given = { ...openId, only, roles: [{ value: 'x', role, workspace }] };
      const checked = check(consoleShape, { origin, openId: given });
      return checked.ok && consoleWarning(resolveConsole(checked.value)) !== undefined;
    };
    expect(warned(true, 'acme:production')).toBe(true);
    expect(warned(true, '*', 'viewer')).toBe(true);
    expect(warned(true, '*')).toBe(false);
    expect(warned(false, 'acme:production')).toBe(false);
  });

  it.each(['http://id.bank.example', 'id.bank.example', 'javascript:alert(1)'])('refuses the issuer %s', (issuer) => {
    expect(mistakes({ origin, openId: { ...openId, issuer } })[0]).toContain(
      'openId.issuer: expected an https:// address',
    );
  });

  it.each([
    'https://rosa:hunter2@id.bank.example',
    'http://rosa:hunter2@id.bank.example',
    'ftp://rosa:hun/ter@2@id.bank.example',
    'https://rosa:hunter2@id.bank example',
    'https://hunter2@id.bank.example',
    'rosa:hunter2@id.bank.example',
  ])('refuses an issuer with a password, and never prints it: %s', (issuer) => {
    const [mistake] = mistakes({ origin, openId: { ...openId, issuer } });
    expect(mistake).toContain('openId.issuer: expected an https:// address');
    expect(mistake).not.toMatch(/hun|ter|2@/);
    expect(mistake).toContain('@id.bank');
  });

  it('does not print a password in an origin either', () => {
    expect(mistakes({ origin: 'https://rosa:hunter2@fraud.bank.example' }).join()).not.toContain('hunter2');
  });

  it('accepts a provider on this machine over plain HTTP', () => {
    for (const issuer of ['http://localhost:9000', 'http://127.0.0.1:9000', 'http://[::1]:9000']) {
      expect(mistakes({ origin, openId: { ...openId, issuer } })).toEqual([]);
    }
  });

  it('never prints the client secret', () => {
    const clientSecret = 'hunter2'.repeat(200);
    expect(mistakes({ origin, openId: { ...openId, clientSecret } }).join()).not.toContain('hunter2');
    expect(mistakes({ origin, openId: { ...openId, clientSecret: 7_777 } }).join()).not.toContain('7777');
  });

  it('suggests the nearest role for an unknown one', () => {
    const roles = [{ value: 'x', role: 'analist' }];
    expect(mistakes({ origin, openId: { ...openId, roles } })[0]).toContain('did you mean "analyst"?');
  });
});
