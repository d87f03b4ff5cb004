import { X509Certificate } from 'node:crypto';
import { dayMs } from '@ringfence/contract';
import { expect, it } from 'vitest';
import { checkCertificates } from '../../../src/cli/doctor/check-certificates.ts';
import { testAuthority } from '../../deliver/support/certificates.ts';

const { cert: certPem } = testAuthority('a test of certificates').issue('bank.example', 60);
const { validFromDate, validToDate } = new X509Certificate(certPem);
const plain = { host: '127.0.0.1', port: 8_081, tls: undefined, trustedProxies: [] };
const listen = {
  ...plain,
  tls: { certPem, keyPem: '', certFile: 'cert.pem', keyFile: 'key.pem' },
  limits: { connectionsPerAddressMax: 1, wrongKeysPerMinute: 1 },
};

it.each([
  ['before it is valid', validFromDate.getTime() - 1_000, 'bad'],
  ['while it is valid', validToDate.getTime() - 15 * dayMs, 'good'],
  ['in its last fortnight', validToDate.getTime() - 13 * dayMs, 'unwise'],
  ['after it has expired', validToDate.getTime() + 1_000, 'bad'],
])('doctor checks a certificate %s', (_, nowMs, state) => {
  expect(checkCertificates({ listen, management: plain }, nowMs)).toMatchObject([
    { what: 'certificate of listen', state },
  ]);
});
