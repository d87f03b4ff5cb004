/** Opens tokens like a service, with jose: an independent implementation. */
import { calculateJwkThumbprint, compactDecrypt, compactVerify, EmbeddedJWK, exportJWK, generateKeyPair } from 'jose';
import type { Content, DeviceClaim } from '../src/content.ts';
import type { PublicJwkSet } from '../src/token/recipient.ts';

export interface Workspace {
  /** What the page receives. */
  readonly keys: PublicJwkSet;
  readonly open: (token: string) => Promise<Content>;
}

/** The keys of a workspace, created for this run. */
export async function newWorkspace(kid = 'workspace-1'): Promise<Workspace> {
  const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
  const { crv, kty, x, y } = await exportJWK(publicKey);
  return {
    keys: { keys: [{ kty: kty ?? '', crv: crv ?? '', x: x ?? '', y: y ?? '', kid, use: 'enc', alg: 'ECDH-ES' }] },
    open: (token) => openToken(token, privateKey),
  };
}

export async function openToken(token: string, privateKey: Parameters<typeof compactDecrypt>[1]): Promise<Content> {
  const { plaintext } = await compactDecrypt(token, privateKey, {
    keyManagementAlgorithms: ['ECDH-ES'],
    contentEncryptionAlgorithms: ['A256GCM'],
  });
  return JSON.parse(new TextDecoder().decode(plaintext)) as Content;
}

/** A valid proof: its claims, and the thumbprint (RFC 7638) of the key that signed it. */
export interface VerifiedProof {
  readonly claims: unknown;
  readonly thumbprint: string;
}

export async function verifyProof(proof: string): Promise<VerifiedProof> {
  const { payload, protectedHeader } = await compactVerify(proof, EmbeddedJWK, { algorithms: ['ES256'] });
  return {
    claims: JSON.parse(new TextDecoder().decode(payload)),
    thumbprint: await calculateJwkThumbprint(protectedHeader.jwk ?? {}),
  };
}

/** The device of a token that must have one. @throws Error if it has none */
export function claimOf(content: Content): DeviceClaim {
  if ('absent' in content.device) throw new Error(`no device: ${content.device.absent}`);
  return content.device;
}
