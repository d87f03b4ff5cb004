/** Why a database could not be reached, and what to do: the driver's message is the same for several causes. */

/** Failures that only a person can fix: SQLSTATE classes 28 and 3D, a pooler's 08P01, and everything about TLS. */
const staysWrong = /^28|^3D|^08P01$/;
const nameCode = 'ERR_TLS_CERT_ALTNAME_INVALID';
/** OpenSSL's codes about the certificate chain. */
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
  /** It may pass without a change, for example if the database is just starting. */
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
      reason: `its certificate is not signed by a trusted authority (${code})`,
      mend: 'Set sslrootcert in DATABASE_URL to a PEM file with the certificate of the authority that signed it; without sslrootcert, the authorities built into Node.js are trusted. The server must send the intermediate certificates.',
    };
  }
  if (code === nameCode) {
    return {
      reason: `its certificate is for other names: ${message}`,
      mend: 'Use the host name of the certificate in DATABASE_URL, or have a certificate issued for the name that is used there.',
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
      reason: 'it does not speak TLS, which DATABASE_URL requires by sslmode or sslrootcert',
      mend: 'Enable TLS on the server (ssl = on in postgresql.conf), or set sslmode=disable if the network between is trusted.',
    };
  }
  if (code.startsWith('ERR_OSSL')) {
    return {
      reason: `the certificate or key that DATABASE_URL names cannot be used (${message})`,
      mend: 'Set sslcert and sslkey to PEM files that belong together, and sslrootcert to a file with certificates.',
    };
  }
  return undefined;
}

function mendOf(code: string, message: string): string {
  if (code === '53300')
    return 'All its connections are in use: close others, or raise max_connections or the limit of the role or the database.';
  if (code === '28000' && message.includes('no encryption'))
    return 'It accepts this user only with TLS, or not at all: add sslmode=verify-full to DATABASE_URL, and sslrootcert if you run your own certificate authority.';
  if (message.startsWith('unsupported startup parameter'))
    return 'It is a pooler. Set DATABASE_URL to PostgreSQL itself, or configure a pooler in session mode to ignore the parameters (PgBouncer: ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout).';
  return 'Check that it is running, and that DATABASE_URL has the correct host, port, user, password and database.';
}
