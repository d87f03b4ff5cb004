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

describe('what the file says of the console', () => {
  it('is nothing unless told', () => {
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
  ])('takes no origin like %s', (given) => {
    expect(mistakes({ origin: given })[0]).toContain('origin: expected an origin');
  });

  it('needs an origin to which the provider leads back', () => {
    expect(mistakes({ openId })).toEqual(['origin: expected an origin, to which the provider redirects browsers']);
  });

  it('warns of a provider that alone lets people in, and makes nobody an administrator of everything', () => {
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

  it.each(['http://id.bank.example', 'id.bank.example', 'javascript:alert(1)'])('takes no issuer like %s', (issuer) => {
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
  ])('takes no issuer with a password, and never repeats it: %s', (issuer) => {
    const [mistake] = mistakes({ origin, openId: { ...openId, issuer } });
    expect(mistake).toContain('openId.issuer: expected an https:// address');
    expect(mistake).not.toMatch(/hun|ter|2@/);
    expect(mistake).toContain('@id.bank');
  });

  it('repeats no password of an origin either', () => {
    expect(mistakes({ origin: 'https://rosa:hunter2@fraud.bank.example' }).join()).not.toContain('hunter2');
  });

  it('takes a provider of this machine over plain HTTP', () => {
    for (const issuer of ['http://localhost:9000', 'http://127.0.0.1:9000', 'http://[::1]:9000']) {
      expect(mistakes({ origin, openId: { ...openId, issuer } })).toEqual([]);
    }
  });

  it('never repeats the secret', () => {
    const clientSecret = 'hunter2'.repeat(200);
    expect(mistakes({ origin, openId: { ...openId, clientSecret } }).join()).not.toContain('hunter2');
    expect(mistakes({ origin, openId: { ...openId, clientSecret: 7_777 } }).join()).not.toContain('7777');
  });

  it('names the role that is nearest to a wrong one', () => {
    const roles = [{ value: 'x', role: 'analist' }];
    expect(mistakes({ origin, openId: { ...openId, roles } })[0]).toContain('did you mean "analyst"?');
  });
});
