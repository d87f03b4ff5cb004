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
  /** @param name a host name, or an address as `IP:127.0.0.1`. @param days until it expires; negative: expired */
  issue(name: string, days?: number): Issued;
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** A certificate authority for one test, created with the openssl command. */
export function testAuthority(commonName: string): TestAuthority {
  const root = withOpenssl((openssl, read) => {
    openssl('req', '-x509', ...newKey, '-keyout', 'key', '-out', 'pem', '-days', '9', '-subj', `/CN=${commonName}`);
    return { cert: read('pem'), key: read('key') };
  });
  let serial = 1;
  return {
    ca: root.cert,
    issue: (name, days = 9) => {
      serial += 1;
      const alternative = name.startsWith('IP:') ? name : `DNS:${name}`;
      const files = { 'ca.pem': root.cert, 'ca.key': root.key, ext: `subjectAltName=${alternative}\n` };
      return withOpenssl((openssl, read) => {
        openssl('req', ...newKey, '-keyout', 'key', '-out', 'csr', '-subj', `/CN=${name}`);
        const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-set_serial', String(serial), '-days', String(days)];
        openssl('x509', '-req', '-in', 'csr', '-out', 'pem', '-extfile', 'ext', ...signing);
        return { cert: read('pem'), key: read('key') };
      }, files);
    },
  };
}

/** Runs the command in a temporary folder, removed right afterwards: test workers have no exit hook. */
function withOpenssl(
  work: (openssl: (...args: readonly string[]) => void, read: (name: string) => string) => Issued,
  files: Readonly<Record<string, string>> = {},
): Issued {
  const folder = mkdtempSync(join(tmpdir(), 'ringfence-ca-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return work(
      (...args) => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' }),
      (name) => readFileSync(join(folder, name), 'utf8'),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
