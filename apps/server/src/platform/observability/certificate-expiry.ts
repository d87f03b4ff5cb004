/** The remaining validity of a certificate in use. */
export interface CertificateExpiry {
  readonly labels:
    | { readonly listener: string }
    | { readonly workspace: string; readonly certificate: 'client' | 'ca' };
  /** Negative if it has expired. */
  readonly leftMs: number;
}
