import { Type } from 'typebox';
import type { OpenIdSettings } from '../access/accounts/open-id.ts';
import { everywhere, roles } from '../access/accounts/roles.ts';
import { exactly, listOf, oneOf, text, yesOrNo } from '../platform/shapes/shape.ts';

/** How people reach the console and log in to it. */
export interface ConsoleSettings {
  /** Scheme, host and port under which people open it; `undefined`: the management listener as it is bound. */
  readonly origin: string | undefined;
  /** `undefined`: people log in with passwords only. */
  readonly openId: OpenIdSettings | undefined;
}

const origin = 'an origin, like https://fraud.bank.example, without a path';
const issuer = 'an https:// address without a password, or an http:// address of this machine';

const openIdShape = exactly(
  {
    name: text({ maxLength: 60, default: 'OpenID', description: 'Written on the button of the log-in.' }),
    issuer: text({
      maxLength: 512,
      expected: issuer,
      description:
        'As the provider names itself; its description is read from `/.well-known/openid-configuration` below.',
      refine: (given) => (isIssuer(given) ? undefined : issuer),
    }),
    clientId: text({ maxLength: 256, description: 'As the provider knows us.' }),
    clientSecret: Type.Optional(
      text({
        maxLength: 1_024,
        secret: true,
        expected: 'a secret',
        description: 'Left out: a public client, by PKCE alone.',
      }),
    ),
    scope: text({ maxLength: 256, default: 'openid profile email', description: 'What is asked for.' }),
    trustEmail: yesOrNo({
      default: false,
      description:
        'E-mail addresses count that the provider does not call verified: for one that never says `email_verified`, and whose addresses only its administrators set.',
    }),
    rolesClaim: text({
      maxLength: 256,
      default: 'groups',
      description: 'The claim of the ID token that says what somebody may do: a text, or a list of them.',
    }),
    roles: listOf(
      exactly({
        value: text({ maxLength: 256, description: 'A value of the claim.' }),
        role: oneOf(roles, { description: 'What it grants.' }),
        workspace: text({ maxLength: 100, default: '*', description: '`name:environment`, an id, or `*` for all.' }),
      }),
      {
        minItems: 1,
        maxItems: 1_000,
        description: 'Taken anew at each log-in. Whoever has none of them is not let in.',
      },
    ),
    only: yesOrNo({
      default: false,
      description:
        'Nobody else lets people in: passwords are refused, sessions that one opened, or another provider, are good no more, and no link for a password is made. Taken out of the file, passwords of before are good again.',
    }),
  },
  { description: 'Log-in by an OpenID provider, beside passwords or instead of them.' },
);

export const consoleShape = exactly(
  {
    origin: Type.Optional(
      text({
        maxLength: 255,
        expected: origin,
        description:
          'Where people open it, when that is not the management listener as it is bound: behind a proxy. Changes are taken from pages of this origin only.',
        refine: (given) => (isOrigin(given) ? undefined : origin),
      }),
    ),
    openId: Type.Optional(openIdShape),
  },
  {
    description: 'The console, which is served at `/console/` of the management listener.',
    refine: ({ origin: given, openId }) =>
      openId !== undefined && given === undefined
        ? [{ path: ['origin'], expected: 'an origin, to which the provider leads browsers back' }]
        : undefined,
  },
);

/** What the file says of the console. */
export function resolveConsole(written: Type.Static<typeof consoleShape> | undefined): ConsoleSettings {
  const openId = written?.openId;
  return {
    origin: written?.origin,
    openId: openId === undefined ? undefined : { ...openId, clientSecret: openId.clientSecret },
  };
}

/** What is allowed, and may not be what was meant. */
export function consoleWarning({ openId }: ConsoleSettings): string | undefined {
  if (openId?.only !== true) return undefined;
  if (openId.roles.some(({ role, workspace }) => role === 'administrator' && workspace === everywhere))
    return undefined;
  return 'console.openId: only the provider lets people in, and none of its roles is administrator of all workspaces ("*"): accounts and the audit log as a whole are then for the admin token alone';
}

function isOrigin(given: string): boolean {
  return URL.canParse(given) && /^https?:$/.test(new URL(given).protocol) && new URL(given).origin === given;
}

function isIssuer(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, hostname, username, password } = new URL(given);
  // It is in the audit log and on the page of the settings.
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname));
}
