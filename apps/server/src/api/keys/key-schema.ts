import { Type } from 'typebox';
import { exactly, text, wholeNumber, yesOrNo } from '../../platform/shapes/shape.ts';
import { broughtKeyLengthMax, broughtKeyLengthMin } from '../../platform/secrets/license-key.ts';
import type { LicenseKey } from '../../tenancy/workspaces/license-keys.ts';
import { overlapHoursDefault, overlapHoursMax } from '../../tenancy/workspaces/signing-secret.ts';
import { choice, inWorkspace, instant, list, seldom, word } from '../server/members.ts';

export const keySchema = Type.Object(
  {
    id: word('Names the key; not a secret.', 'key_abc234def567'),
    hint: word('Enough to recognise the key by.', 'rf_live_…x4Zq'),
    origin: choice(['generated', 'brought'], 'Made here, or brought along.'),
    state: choice(
      ['sent', 'live', 'revoked'],
      '`sent`: taken, and sent with webhooks; `live`: taken; `revoked`: ended for ever.',
    ),
    createdAt: instant('When it was made.'),
    revokedAt: seldom(instant('When it was revoked.')),
    lastUsedAt: Type.Optional(instant('The last request that came with it, at most 30 s behind.')),
  },
  { title: 'Key', description: 'A license key, without its text.' },
);

export function printKey(key: LicenseKey): Type.Static<typeof keySchema> {
  const { createdAtMs, revokedAtMs, lastUsedAtMs, ...rest } = key;
  return {
    ...rest,
    createdAt: new Date(createdAtMs).toISOString(),
    ...(revokedAtMs === undefined ? {} : { revokedAt: new Date(revokedAtMs).toISOString() }),
    ...(lastUsedAtMs === undefined ? {} : { lastUsedAt: new Date(lastUsedAtMs).toISOString() }),
  };
}

export const inKey = exactly({
  ...inWorkspace.properties,
  key: text({ maxLength: 64, description: 'The id of the key: key_…', expected: 'the id of a key' }),
});

export const newKeyBody = exactly({
  text: Type.Optional(
    text({
      minLength: broughtKeyLengthMin,
      maxLength: broughtKeyLengthMax,
      secret: true,
      description: 'A key that the client has already: printable ASCII. Left out: one is generated.',
      expected: `${broughtKeyLengthMin} to ${broughtKeyLengthMax} printable ASCII characters`,
    }),
  ),
});

export const revocationBody = exactly({
  force: yesOrNo({
    default: false,
    description: 'Also when it is the key that is sent: webhooks then wait until another is promoted or made.',
  }),
});

export const signingRotationBody = exactly({
  overlapHours: wholeNumber({
    minimum: 0,
    maximum: overlapHoursMax,
    unit: 'hours',
    default: overlapHoursDefault,
    description: 'How long the secret before signs on. 0: it ends at once, because it leaked.',
  }),
});

export const deviceKeyRotationBody = exactly({
  alone: yesOrNo({
    default: false,
    description: 'Nothing but the new key opens tokens, because a private key leaked.',
  }),
});

export const deviceKeySetSchema = Type.Object(
  {
    keys: list(
      Type.Object(
        {
          kty: choice(['EC'], 'Always EC.'),
          crv: choice(['P-256'], 'Always P-256.'),
          x: word('A coordinate.', 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4'),
          y: word('A coordinate.', '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM'),
          kid: word('The thumbprint of the key (RFC 7638).', 'cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s'),
          use: choice(['enc'], 'Always enc.'),
          alg: choice(['ECDH-ES'], 'Always ECDH-ES.'),
        },
        { title: 'DeviceKey', description: 'A public key that pages encrypt to (RFC 7517).' },
      ),
      'The one that pages take, then the one before it.',
    ),
  },
  { title: 'DeviceKeySet' },
);

const beforeUntil = Type.Optional(instant('Until when the secret before signs as well. Left out: it does not.'));

export const signingSchema = Type.Object({ beforeUntil }, { title: 'Signing' });

export const newSigningSecretSchema = Type.Object(
  {
    signingSecret: word('For the bank’s receiver.', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw…'),
    beforeUntil,
  },
  { title: 'NewSigningSecret' },
);

export function printSigning(beforeUntilMs: number | undefined): Type.Static<typeof signingSchema> {
  return beforeUntilMs === undefined ? {} : { beforeUntil: new Date(beforeUntilMs).toISOString() };
}
