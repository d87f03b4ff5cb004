/** Why a database could not be reached, and what is to be done: the driver says the same of a wrong certificate and a wrong host. */

/** What a person has to change does not pass by itself: SQLSTATE classes 28 and 3D, a pooler's 08P01, and all of TLS. */
const staysWrong = /^28|^3D|^08P01$/;
const nameCode = 'ERR_TLS_CERT_ALTNAME_INVALID';
/** Of OpenSSL, about the chain of a certificate. */
const chainCodes: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);
const timeCodes: ReadonlySet<string> = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);
const withoutTls = 'The server does not support SSL connections';

export interface ReachFailure {
  readonly reason: string;
  readonly mend: string;
  /** It may be well in a moment, as where the database is just starting. */
  readonly mayPass: boolean;
}

export function readReachFailure(cause: unknown): ReachFailure {
  const { code = '', message = 'no reason given' } = cause as { readonly code?: string; readonly message?: string };
  const reasonOfTls = tlsFailure(code, message);
  if (reasonOfTls !== undefined) return { ...reasonOfTls, mayPass: false };
  return { reason: message, mend: mendOf(code, message), mayPass: !staysWrong.test(code) };
}

function tlsFailure(code: string, message: string): Omit<ReachFailure, 'mayPass'> | undefined {
  if (chainCodes.has(code)) {
    return {
      reason: `its certificate is signed by none of the authorities that are trusted (${code})`,
      mend: 'Let sslrootcert in DATABASE_URL name the PEM file with the certificate of the authority that signed it; without sslrootcert those are trusted that come with Node.js. The server has to send the certificates in between.',
    };
  }
  if (code === nameCode) {
    return {
      reason: `its certificate is for other names: ${message}`,
      mend: 'Let DATABASE_URL name the host as the certificate does, or have one made for the name that stands there.',
    };
  }
  if (timeCodes.has(code)) {
    return {
      reason: `its certificate, or that of an authority above it, is not valid now (${code})`,
      mend: 'Renew it, or set the clock of this machine.',
    };
  }
  if (message === withoutTls) {
    return {
      reason: 'it does not speak TLS, which DATABASE_URL asks for by sslmode or sslrootcert',
      mend: 'Switch TLS on there (ssl = on in postgresql.conf), or ask for none by sslmode=disable, where nobody can read along on the way.',
    };
  }
  if (code.startsWith('ERR_OSSL')) {
    return {
      reason: `the certificate or key that DATABASE_URL names cannot be used (${message})`,
      mend: 'Let sslcert and sslkey name PEM files that belong together, and sslrootcert one with certificates.',
    };
  }
  return undefined;
}

function mendOf(code: string, message: string): string {
  if (code === '53300')
    return 'All its connections are taken: end others, or raise max_connections or the limit of the role or the database.';
  if (code === '28000' && message.includes('no encryption'))
    return 'It takes this user with TLS only, or not at all: add sslmode=verify-full to DATABASE_URL, with sslrootcert where its authority is your own.';
  if (message.startsWith('unsupported startup parameter'))
    return 'It is a pooler. Let DATABASE_URL name PostgreSQL itself, or let a pooler in session mode ignore the parameters (PgBouncer: ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout).';
  return 'Check that it runs, and that DATABASE_URL names its host, port, user, password and database.';
}
