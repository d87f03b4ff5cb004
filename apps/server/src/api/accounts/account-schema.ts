import { Type } from 'typebox';
import type { Account } from '../../access/accounts/account.ts';
import { isEmail } from '../../access/accounts/email-name.ts';
import { isCommonPassword } from '../../access/accounts/common-passwords.ts';
import { everywhere, type Roles, rights, roles } from '../../access/accounts/roles.ts';
import { exactly, listOf, oneOf, text, yesOrNo } from '../../platform/shapes/shape.ts';
import { choice, flag, instant, list, nonPersonalWord, seldom } from '../server/members.ts';

/** Minimum length of a password that is used with a second factor. Source: NIST SP 800-63B-4, 3.1.1. */
const passwordLengthMin = 12;
const passwordLengthMax = 256;

export function passwordText(description: string): Type.TString {
  return text({
    minLength: passwordLengthMin,
    maxLength: passwordLengthMax,
    secret: true,
    description,
    expected: `${passwordLengthMin} to ${passwordLengthMax} characters`,
    refine: (password) =>
      isCommonPassword(password) ? 'a password that is not among the most commonly guessed ones' : undefined,
  });
}

/** A password to compare with the stored one: any length that a stored password can have. */
export const presentPassword = text({
  maxLength: passwordLengthMax,
  secret: true,
  description: 'The current password.',
  expected: 'the password',
});

export const emailText = text({
  minLength: 3,
  maxLength: 254,
  description: 'Case does not matter; no mail is sent to it.',
  expected: 'an e-mail address',
  refine: (email) => (isEmail(email) ? undefined : 'an e-mail address'),
});

export const personName = text({ maxLength: 100, description: 'The display name.', expected: 'a name' });

export const languageText = text({
  maxLength: 5,
  description: 'Language of the console: `es`, `pt-BR` (BCP 47).',
  expected: 'a language like es or pt-BR',
  refine: (tag) => (/^[a-z]{2}(?:-[A-Z]{2})?$/.test(tag) ? undefined : 'a language like es or pt-BR'),
});

const rolesMeaning =
  '`viewer` reads everything, with personal data masked; `analyst` works on alerts and actions, and may show personal data; `decider` does so too, and releases or rejects held payments; `author` writes policies; `approver` approves policies of others; `administrator` may do everything.';

const rolesSchema = list(
  Type.Object(
    {
      workspace: nonPersonalWord('Id of the workspace; `*`: all workspaces, and the installation.', everywhere),
      roles: list(choice(roles, rolesMeaning, 'analyst')),
    },
    { title: 'RolesInWorkspace' },
  ),
  'The roles per workspace.',
);

const rolesBody = listOf(
  exactly({
    workspace: text({
      maxLength: 64,
      description: 'Id of the workspace, or `*`.',
      expected: 'the id of a workspace, or *',
    }),
    roles: listOf(oneOf(roles, { description: rolesMeaning }), { maxItems: roles.length }),
  }),
  { maxItems: 1_001, description: 'All roles of the account; roles that are missing here are revoked.' },
);

export function printRoles(granted: Roles): Type.Static<typeof rolesSchema> {
  return Object.entries(granted).map(([workspace, inIt]) => ({ workspace, roles: inIt }));
}

export function readRoles(given: Type.Static<typeof rolesBody>): Roles {
  return Object.fromEntries(given.map((one) => [one.workspace, one.roles]));
}

export const accountSchema = Type.Object(
  {
    id: nonPersonalWord('Identifies the account.', 'acc_abc234def567'),
    email: nonPersonalWord('In lower case.', 'mara@bank.example'),
    name: nonPersonalWord('The display name.', 'Mara'),
    language: nonPersonalWord('Language of the console.', 'es'),
    roles: rolesSchema,
    secondFactor: flag('Whether log-in requires a second factor.', false),
    password: flag('Whether it has a password here; an invited account has none yet.'),
    issuer: seldom(nonPersonalWord('The OpenID provider that it logs in with.', 'https://id.bank.example')),
    createdAt: instant('When it was created.'),
    disabledAt: seldom(instant('Since when it cannot log in.')),
  },
  { title: 'Account', description: 'A person who uses the console.' },
);

export function printAccount(account: Account): Type.Static<typeof accountSchema> {
  const { roles: granted, hasPassword, hasSecondFactor, issuer, createdAtMs, disabledAtMs, ...rest } = account;
  return {
    ...rest,
    roles: printRoles(granted),
    secondFactor: hasSecondFactor,
    password: hasPassword,
    ...(issuer === undefined ? {} : { issuer }),
    createdAt: new Date(createdAtMs).toISOString(),
    ...(disabledAtMs === undefined ? {} : { disabledAt: new Date(disabledAtMs).toISOString() }),
  };
}

export const rightsMember = list(
  choice(
    rights,
    '`see` everything except personal data; `show` personal data; `work` on alerts and actions; `write` policies; `approve` them; `administer` settings, keys, accounts.',
  ),
  'In the order of the roles.',
);

export const inAccount = exactly({
  account: text({ maxLength: 64, description: 'The id of the account: acc_…', expected: 'the id of an account' }),
});

export const inAccountSession = exactly({
  ...inAccount.properties,
  session: text({ maxLength: 64, description: 'The id of the session: ses_…', expected: 'the id of a session' }),
});

export const newAccountBody = exactly({
  email: emailText,
  name: personName,
  language: Type.Optional(languageText),
  roles: rolesBody,
});

export const accountChangeBody = exactly({
  name: Type.Optional(personName),
  language: Type.Optional(languageText),
  roles: Type.Optional(rolesBody),
  disabled: Type.Optional(
    yesOrNo({ description: '`true` ends its sessions and blocks log-in; `false` allows log-in again.' }),
  ),
});

export const invitationSchema = Type.Object(
  {
    token: nonPersonalWord('For POST /session/invitation; shown only this once.', 'pXg0…'),
    path: nonPersonalWord(
      'Path of the page that accepts it, relative to the address of the console. Give the person the whole link.',
      '/console/invitation#token=pXg0…',
    ),
    expiresAt: instant('Valid until then, for one use.'),
  },
  { title: 'Invitation', description: 'A link for setting the password of an account.' },
);

export const invitedAccountSchema = Type.Object(
  { ...accountSchema.properties, invitation: invitationSchema },
  { title: 'InvitedAccount' },
);

export const listedSessionSchema = Type.Object(
  {
    id: nonPersonalWord('Identifies the session.', 'ses_abc234def567'),
    openedAt: instant('When the person logged in.'),
    seenAt: instant('The last request, at most a minute behind.'),
    address: nonPersonalWord('The IP address that opened it.', '198.51.100.7'),
    agent: nonPersonalWord('User-Agent of the browser.', 'Mozilla/5.0 (X11; Linux x86_64) …'),
  },
  { title: 'ConsoleSession' },
);
