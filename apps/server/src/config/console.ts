import { Type } from 'typebox';
import type { OpenIdSettings } from '../access/accounts/open-id.ts';
import { everywhere, roles } from '../access/accounts/roles.ts';
import { exactly, listOf, oneOf, text, yesOrNo } from '../platform/shapes/shape.ts';

/** The console's address and log-in. */
export interface ConsoleSettings {
  /** Scheme, host and port in the browser's address bar; `undefined`: the address of the management listener. */
  readonly origin: string | undefined;
  /** `undefined`: log-in with passwords only. */
  readonly openId: OpenIdSettings | undefined;
}

const origin = 'an origin, like https://fraud.bank.example, without a path';
const issuer = 'an https:// address without a password, or an http:// address of this machine';

const openIdShape = exactly(
  {
    name: text({ maxLength: 60, default: 'OpenID', description: 'Label of the log-in button.' }),
    issuer: text({
      maxLength: 512,
      expected: issuer,
      description:
        'The provider’s issuer identifier; its metadata is read from `/.well-known/openid-configuration` below it.',
      refine: (given) => (isIssuer(given) ? undefined : issuer),
    }),
    clientId: text({ maxLength: 256, description: 'The client id that the provider assigned to Ringfence.' }),
    clientSecret: Type.Optional(
      text({
        maxLength: 1_024,
        secret: true,
        expected: 'a secret',
        description: 'Without it: a public client, with PKCE only.',
      }),
    ),
    scope: text({ maxLength: 256, default: 'openid profile email', description: 'The requested scopes.' }),
    trustEmail: yesOrNo({
      default: false,
      description:
        'Accept e-mail addresses that the provider does not mark as verified. Use it only for a provider that never sends `email_verified` and whose addresses only its administrators can set.',
    }),
    rolesClaim: text({
      maxLength: 256,
      default: 'groups',
      description: 'The claim of the ID token from which roles are derived: a string, or a list of strings.',
    }),
    roles: listOf(
      exactly({
        value: text({ maxLength: 256, description: 'A value of the claim.' }),
        role: oneOf(roles, { description: 'The role that this value grants.' }),
        workspace: text({ maxLength: 100, default: '*', description: '`name:environment`, an id, or `*` for all.' }),
      }),
      {
        minItems: 1,
        maxItems: 1_000,
        description: 'Evaluated at each log-in. Users without any of these values cannot log in.',
      },
    ),
    only: yesOrNo({
      default: false,
      description:
        'The provider is the only way to log in: passwords are refused, sessions opened with a password or another provider end, and no password links are created. When it is removed from the file, earlier passwords work again.',
    }),
  },
  { description: 'Log-in with an OpenID provider, in addition to passwords or instead of them.' },
);

export const consoleShape = exactly(
  {
    origin: Type.Optional(
      text({
        maxLength: 255,
        expected: origin,
        description:
          'The console’s address in the browser, if it differs from the management listener’s, for example behind a proxy. Changes are accepted only from pages of this origin.',
        refine: (given) => (isOrigin(given) ? undefined : origin),
      }),
    ),
    openId: Type.Optional(openIdShape),
  },
  {
    description: 'The console, served at `/console/` of the management listener.',
    refine: ({ origin: given, openId }) =>
      openId !== undefined && given === undefined
        ? [{ path: ['origin'], expected: 'an origin, to which the provider redirects browsers' }]
        : undefined,
  },
);

/** The console's settings from the file. */
export function resolveConsole(written: Type.Static<typeof consoleShape> | undefined): ConsoleSettings {
  const openId = written?.openId;
  return {
    origin: written?.origin,
    openId: openId === undefined ? undefined : { ...openId, clientSecret: openId.clientSecret },
  };
}

/** A warning about settings that are valid but may be a mistake. */
export function consoleWarning({ openId }: ConsoleSettings): string | undefined {
  if (openId?.only !== true) return undefined;
  if (openId.roles.some(({ role, workspace }) => role === 'administrator' && workspace === everywhere))
    return undefined;
  return 'console.openId: the provider is the only way to log in, but none of its roles is administrator of all workspaces ("*"): only the admin token can then manage accounts and read the whole audit log';
}

function isOrigin(given: string): boolean {
  return URL.canParse(given) && /^https?:$/.test(new URL(given).protocol) && new URL(given).origin === given;
}

function isIssuer(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, hostname, username, password } = new URL(given);
  // The issuer is shown in the audit log and on the settings page, so it must not contain a password.
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname));
}
