import { CompactEncrypt, importJWK } from 'jose';
import { randomBytes } from 'node:crypto';
import type { Workspace } from '../../../src/tenancy/workspaces/workspace.ts';

/** A device token for the workspace, as made by an SDK without its own keys. */
export async function deviceToken(
  { secrets }: Pick<Workspace, 'secrets'>,
  said: { readonly iat: number; readonly channelId: number; readonly origin: string },
): Promise<string> {
  const { publicJwk } = secrets.deviceKeys[0]!;
  const content = {
    format: 1,
    nonce: randomBytes(16).toString('base64url'),
    sdk: 'ringfence-test/1.0.0',
    profile: 'essential',
    tookMs: 1,
    device: { absent: 'off' },
    signals: { timezone: 'America/Mexico_City' },
    absent: {},
    ...said,
  };
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(content)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: publicJwk.kid, typ: 'ringfence-device' })
    .encrypt(await importJWK({ ...publicJwk }));
}
