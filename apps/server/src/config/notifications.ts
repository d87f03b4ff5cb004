import { isIP } from 'node:net';
import { classifyAddress } from '@ringfence/delivery';
import { Type } from 'typebox';
import { isMailAddress } from '../notifications/mail-address.ts';
import type { MailSettings } from '../notify/mail-server.ts';
import { exactly, oneOf, text, wholeNumber } from '../platform/shapes/shape.ts';

const mailAddress = 'a mail address, like ringfence@bank.example';

const smtpShape = exactly(
  {
    host: text({
      maxLength: 255,
      expected: 'a host name or an address',
      description: 'The mail server. A private address must be in `allowPrivateWebhooks`, like that of a webhook.',
      refine: (host) => (/^[0-9A-Za-z.:_-]+$/.test(host) ? undefined : 'a host name or an address'),
    }),
    port: Type.Optional(
      wholeNumber({ minimum: 1, maximum: 65_535, description: 'Default: 587, and 465 for `tls: implicit`.' }),
    ),
    tls: Type.Optional(
      oneOf(['starttls', 'implicit', 'none'], {
        description:
          '`starttls`: nothing is sent before TLS. `implicit`: TLS from the first byte. `none`: plain text, with user and password readable on the way. Default: `starttls`, and `none` for this machine.',
      }),
    ),
    user: Type.Optional(text({ maxLength: 256, expected: 'a user name', description: 'Without it: no log-in.' })),
    password: Type.Optional(text({ maxLength: 1_024, secret: true, expected: 'a password' })),
    from: text({
      maxLength: 254,
      expected: mailAddress,
      description: 'The sender; its domain is also that of the Message-ID.',
      refine: (address) => (isMailAddress(address) ? undefined : mailAddress),
    }),
    caFile: Type.Optional(
      text({
        maxLength: 4_096,
        expected: 'the path of a PEM file with certificates',
        description: 'If set, only these are trusted.',
      }),
    ),
  },
  {
    description: 'The mail server for notifications. Without it, there is no e-mail.',
    refine: ({ user, password }) =>
      (user === undefined) === (password === undefined)
        ? undefined
        : [{ path: [user === undefined ? 'user' : 'password'], expected: 'both user and password, or neither' }],
  },
);

export const notificationsShape = exactly(
  { smtp: Type.Optional(smtpShape) },
  { description: 'How people are told. Destinations are made in the console, or by the management API.' },
);

/** @param caPem the content of `caFile` */
export function resolveMail(
  written: Type.Static<typeof notificationsShape> | undefined,
  caPem: string | undefined,
): MailSettings | undefined {
  const smtp = written?.smtp;
  if (smtp === undefined) return undefined;
  const { host, user, password, from, tls = isThisMachine(host) ? 'none' : 'starttls' } = smtp;
  return { host, user, password, from, tls, port: smtp.port ?? (tls === 'implicit' ? 465 : 587), caPem };
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && classifyAddress(host) === 'loopback');
}
