import { Type } from 'typebox';
import { rightsIn, everywhere } from '../../access/accounts/roles.ts';
import { csrfTokenOf } from '../../access/accounts/session-cookie.ts';
import type { ConsoleSession } from '../../access/accounts/sessions.ts';
import { exactly, text } from '../../platform/shapes/shape.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import {
  accountSchema,
  emailText,
  languageText,
  passwordText,
  personName,
  presentPassword,
  printAccount,
  rightsMember,
} from '../accounts/account-schema.ts';
import { choice, flag, instant, list, nonPersonalWord, seldom } from '../server/members.ts';

export const sessionSchema = Type.Object(
  {
    account: accountSchema,
    installation: rightsMember,
    workspaces: list(
      Type.Object(
        {
          id: nonPersonalWord('Its id.', 'abcdefgh'),
          name: nonPersonalWord('Its name.', 'acme'),
          environment: choice(['production', 'development'], 'The environment of its events.'),
          rights: rightsMember,
        },
        { title: 'WorkspaceRights' },
      ),
      'Those in which the account has any right.',
    ),
    csrfToken: nonPersonalWord('Send it as X-CSRF-Token with every request except GET.', 'Q2q…'),
    endsAt: instant('The session ends then in any case.'),
    idleEndsAt: instant('It ends then unless another request is sent.'),
  },
  { title: 'Session', description: 'Who is logged in, and what they may do.' },
);

export function printSession(
  session: ConsoleSession,
  token: string,
  workspaces: readonly Workspace[],
): Type.Static<typeof sessionSchema> {
  const { account, endsAtMs, idleEndsAtMs } = session;
  return {
    account: printAccount(account),
    installation: rightsIn(account.roles, everywhere),
    workspaces: workspaces
      .map(({ id, name, environment }) => ({ id, name, environment, rights: rightsIn(account.roles, id) }))
      .filter(({ rights }) => rights.length > 0),
    csrfToken: csrfTokenOf(token),
    endsAt: new Date(endsAtMs).toISOString(),
    idleEndsAt: new Date(idleEndsAtMs).toISOString(),
  };
}

const codeText = text({
  maxLength: 40,
  secret: true,
  description: 'Six digits of the authenticator app, or a recovery code.',
  expected: 'a code',
});

export const logInBody = exactly({ email: emailText, password: presentPassword, code: Type.Optional(codeText) });

const invitationToken = text({
  maxLength: 128,
  secret: true,
  description: 'The text after `#token=` in the link.',
  expected: 'the token of a link',
});

export const firstBody = exactly({
  token: invitationToken,
  email: emailText,
  name: personName,
  password: passwordText('Of the first administrator.'),
});

export const invitationBody = exactly({ token: invitationToken, password: passwordText('The new password.') });

export const acceptedSchema = Type.Object(
  { email: nonPersonalWord('Log in with this.', 'mara@bank.example') },
  { title: 'AcceptedInvitation' },
);

export const passwordChangeBody = exactly({
  password: presentPassword,
  newPassword: passwordText('The new password. All other sessions of the account end.'),
});

export const ownChangeBody = exactly({ name: Type.Optional(personName), language: Type.Optional(languageText) });

export const provenBody = exactly({ password: presentPassword });

export const setupSchema = Type.Object(
  {
    key: nonPersonalWord('For typing it into the app: base32.', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'),
    uri: nonPersonalWord(
      'For showing it as a QR code.',
      'otpauth://totp/Ringfence:mara%40bank.example?secret=JBSWY3DP…',
    ),
  },
  { title: 'SecondFactorSetup' },
);

export const codeBody = exactly({ code: codeText });

export const recoverySchema = Type.Object(
  {
    recoveryCodes: list(
      nonPersonalWord('Valid once.', 'abcd-efgh-ijkl-mnop'),
      'Each replaces a code once. Shown only this once.',
    ),
  },
  { title: 'RecoveryCodes' },
);

export const optionsSchema = Type.Object(
  {
    first: flag('There is no account yet: the service printed a link for creating the first administrator.', false),
    password: flag('Whether people may log in with a password.'),
    openId: seldom(
      Type.Unsafe<{ readonly name: string; readonly path: string }>(
        Type.Object(
          {
            name: nonPersonalWord('Text of the button.', 'Bank log-in'),
            path: nonPersonalWord(
              'Target of the button: a URL to navigate to, not to fetch.',
              '/management/v1/session/openid',
            ),
          },
          { title: 'OpenIdOption' },
        ),
      ),
    ),
  },
  { title: 'SessionOptions', description: 'The available ways to log in.' },
);
