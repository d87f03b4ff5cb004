import { Type } from 'typebox';
import type { OpenIdSettings } from '../accounts/open-id.ts';
import { roles } from '../accounts/roles.ts';
import { exactly, listOf, oneOf, text, yesOrNo } from '../shapes/shape.ts';

/** How people reach the console and log in to it. */
export interface ConsoleSettings {
  /** Scheme, host and port under which people open it; `undefined`: the management listener as it is bound. */
  readonly origin: string | undefined;
  /** `undefined`: people log in with passwords only. */
  readonly openId: OpenIdSettings | undefined;
}

const origin = 'an origin, like https://fraud.bank.example, without a path';
const issuer = 'an https:// address, or an http:// address of this machine';

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
  },
  { description: 'Log-in by an OpenID provider, beside passwords.' },
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

function isOrigin(given: string): boolean {
  return URL.canParse(given) && /^https?:$/.test(new URL(given).protocol) && new URL(given).origin === given;
}

function isIssuer(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, hostname } = new URL(given);
  return protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname));
}
