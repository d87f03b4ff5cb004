import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Issued {
  readonly cert: string;
  readonly key: string;
}

export interface TestAuthority {
  readonly ca: string;
  /** @param name a host name, or an address as `IP:127.0.0.1`. @param days until it ends; less than 0: it has ended */
  issue(name: string, days?: number): Issued;
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** A certificate authority of the test's own, made by the openssl command. */
export function testAuthority(commonName: string): TestAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'ringfence-ca-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const openssl = (...args: readonly string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  };
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '9', '-subj', `/CN=${commonName}`);
  let serial = 1;
  return {
    ca: read('ca.pem'),
    issue: (name, days = 9) => {
      serial += 1;
      const file = `leaf${serial}`;
      const alternative = name.startsWith('IP:') ? name : `DNS:${name}`;
      writeFileSync(join(folder, `${file}.ext`), `subjectAltName=${alternative}\n`);
      openssl('req', ...newKey, '-keyout', `${file}.key`, '-out', `${file}.csr`, '-subj', `/CN=${name}`);
      const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-set_serial', String(serial), '-days', String(days)];
      openssl('x509', '-req', '-in', `${file}.csr`, '-out', `${file}.pem`, '-extfile', `${file}.ext`, ...signing);
      return { cert: read(`${file}.pem`), key: read(`${file}.key`) };
    },
  };
}
