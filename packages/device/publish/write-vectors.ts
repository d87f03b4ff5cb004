/**
 * Writes vectors/device-token.json: tokens that every reader must open, and tokens that every reader must refuse. The
 * keys are the published examples of the RFCs. Run it only when the format changes: signatures are random, so the file
 * changes each time.
 *
 *     node publish/write-vectors.ts && oxfmt vectors
 */
import { writeFileSync } from 'node:fs';
import { base64url, base64urlText, utf8 } from '../src/base64url.ts';
import { signProof } from '../src/device/proof.ts';
import { concatKdf } from '../src/token/concat-kdf.ts';
import { encryptJwe, type TokenChance } from '../src/token/encrypt-jwe.ts';
import { chooseRecipient } from '../src/token/recipient.ts';
import { contents } from './vector-contents.ts';
import { alice, bob, deviceKey, otherDeviceKey, pairOf, publicOf, recipient } from './vector-keys.ts';

const iv = Uint8Array.from({ length: 12 }, (_, byte) => byte);
/** The same random values for all vectors, so that anyone can compute them again. Real tokens never share them. */
const chance: TokenChance = { ephemeral: await pairOf(alice, 'ECDH'), iv };
const keys = [recipient, bob];
const seal = async (text: string, key = recipient): Promise<string> =>
  encryptJwe(text, await chooseRecipient(publicOf(key)), chance);

const { whole, off, absent, app, unknown } = contents;
const { nonce, iat, origin, device } = whole;
const claims = { id: device.id, nonce, iat, origin };
const proof = await signProof(claims, await pairOf(deviceKey, 'ECDSA'));
const copied = await signProof(claims, await pairOf(otherDeviceKey, 'ECDSA'));
const moved = await signProof({ ...claims, nonce: 'B'.repeat(22) }, await pairOf(deviceKey, 'ECDSA'));
const [proofHeader = '', proofClaims = '', signature = ''] = proof.split('.');
const unsigned = base64urlText(JSON.stringify({ ...JSON.parse(atob(proofHeader)), alg: 'none' }));
const withProof = (text: string): object => ({ ...whole, device: { ...device, proof: text } });

const opened = [
  { name: 'a browser, whole', proof: 'holds', content: withProof(proof) },
  {
    name: 'the same id with another key: it was copied, or its key was lost',
    proof: 'holds',
    content: withProof(copied),
  },
  { name: 'a proof of another token', proof: 'broken', content: withProof(moved) },
  {
    name: 'a changed signature',
    proof: 'broken',
    content: withProof(`${proofHeader}.${proofClaims}.${'A'.repeat(86)}`),
  },
  {
    name: 'a proof that says it needs none',
    proof: 'broken',
    content: withProof(`${unsigned}.${proofClaims}.${signature}`),
  },
  { name: 'no id, because the bank wants none', proof: 'none', content: off },
  { name: 'a browser that refuses everything', proof: 'none', content: absent },
  { name: 'an app', proof: 'none', content: app },
  { name: 'members and signals that nobody knows yet', proof: 'none', content: unknown },
];
const secondKey = { name: 'to the second key of the set', proof: 'none', content: off };

/**
 * Header, content and key of a valid token, each of which a case can change; a reader without the check would open it.
 */
interface Forgery {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly enc?: 'A128GCM' | 'A256GCM';
}

async function forge({ header = {}, enc = 'A256GCM' }: Forgery): Promise<string> {
  const protectedHeader = base64urlText(
    JSON.stringify({
      alg: 'ECDH-ES',
      enc,
      kid: recipient.kid,
      typ: 'ringfence-device',
      epk: { crv: alice.crv, kty: alice.kty, x: alice.x, y: alice.y },
      ...header,
    }),
  );
  const to = await chooseRecipient(publicOf(recipient));
  const secret = await crypto.subtle.deriveBits({ name: 'ECDH', public: to.key }, chance.ephemeral.privateKey, 256);
  const bits = enc === 'A128GCM' ? 128 : 256;
  const raw = await concatKdf(secret, { algorithm: enc, bits });
  const key = await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt']);
  const gcm = { name: 'AES-GCM', iv, additionalData: utf8(protectedHeader) };
  const sealed = new Uint8Array(await crypto.subtle.encrypt(gcm, key, utf8(JSON.stringify(off))));
  return [protectedHeader, '', base64url(iv), base64url(sealed.subarray(0, -16)), base64url(sealed.subarray(-16))].join(
    '.',
  );
}

const honest = await seal(JSON.stringify(off));
const parts = honest.split('.');
const changed = (index: number, change: (part: string) => string): string =>
  parts.map((part, at) => (at === index ? change(part) : part)).join('.');
const flipped = (part: string): string => (part.startsWith('A') ? 'B' : 'A') + part.slice(1);

const refused = [
  { name: 'nothing', token: '' },
  { name: 'no token', token: 'blob-of-an-older-sdk==' },
  { name: 'four parts', token: parts.slice(0, 4).join('.') },
  { name: 'six parts', token: `${honest}.` },
  { name: 'a header that is no JSON', token: changed(0, () => base64urlText('{')) },
  { name: 'a changed iv', token: changed(2, flipped) },
  { name: 'a changed ciphertext', token: changed(3, flipped) },
  { name: 'a changed tag', token: changed(4, flipped) },
  { name: 'a tag that is cut', token: changed(4, (tag) => tag.slice(0, 16)) },
  { name: 'an encrypted key, which ECDH-ES does not have', token: changed(1, () => 'AAAA') },
  { name: 'a key that the workspace does not have', token: await forge({ header: { kid: 'vector-3' } }) },
  { name: 'no kid', token: await forge({ header: { kid: undefined } }) },
  { name: 'alg dir', token: await forge({ header: { alg: 'dir' } }) },
  { name: 'alg none', token: await forge({ header: { alg: 'none' } }) },
  { name: 'alg ECDH-ES+A256KW', token: await forge({ header: { alg: 'ECDH-ES+A256KW' } }) },
  {
    name: 'alg PBES2-HS256+A128KW',
    token: await forge({ header: { alg: 'PBES2-HS256+A128KW', p2c: 1_000_000_000, p2s: 'AAAAAAAAAAA' } }),
  },
  { name: 'enc A128GCM', token: await forge({ enc: 'A128GCM' }) },
  { name: 'zip', token: await forge({ header: { zip: 'DEF' } }) },
  { name: 'a critical extension', token: await forge({ header: { crit: ['ringfence'], ringfence: 1 } }) },
  {
    name: 'an ephemeral key off the curve',
    token: await forge({ header: { epk: { crv: 'P-256', kty: 'EC', x: alice.x, y: bob.y } } }),
  },
  {
    name: 'an ephemeral key of another curve',
    token: await forge({ header: { epk: { crv: 'P-384', kty: 'EC', x: alice.x, y: alice.y } } }),
  },
  { name: 'no ephemeral key', token: await forge({ header: { epk: undefined } }) },
];

/** Can be decrypted, and is then refused by a JSON reader as strict as the service's. */
const refusedContent = [
  { name: 'no JSON', text: 'signals' },
  { name: 'a member twice', text: JSON.stringify(off).replace('{', '{"format":1,') },
  { name: 'a prototype', text: JSON.stringify(off).replace('{', '{"__proto__":{},') },
  { name: 'a lone surrogate', text: JSON.stringify(off).replace('UTC', String.raw`\ud800`) },
];

const secret = await crypto.subtle.deriveBits(
  { name: 'ECDH', public: (await chooseRecipient(publicOf(recipient))).key },
  chance.ephemeral.privateKey,
  256,
);
const vectors = {
  about: 'See docs/guides/device-token.md. Keys: RFC 7517 A.2, RFC 7518 C, RFC 7515 A.3.',
  keys: { keys },
  /** Each step of the token "no id, because the bank wants none". */
  steps: {
    ephemeral: alice,
    iv: base64url(iv),
    sharedSecret: base64url(new Uint8Array(secret)),
    contentKey: base64url(await concatKdf(secret, { algorithm: 'A256GCM', bits: 256 })),
    plaintext: JSON.stringify(off),
    token: honest,
  },
  opened: [
    ...(await Promise.all(
      opened.map(async (vector) => ({ ...vector, token: await seal(JSON.stringify(vector.content)) })),
    )),
    { ...secondKey, token: await seal(JSON.stringify(off), bob) },
  ],
  refused,
  refusedContent: await Promise.all(refusedContent.map(async ({ name, text }) => ({ name, token: await seal(text) }))),
};
writeFileSync(new URL('../vectors/device-token.json', import.meta.url), `${JSON.stringify(vectors, undefined, 2)}\n`);
