/** The remaining validity of a certificate in use. */
export interface CertificateLeft {
  readonly labels:
    | { readonly listener: string }
    | { readonly workspace: string; readonly certificate: 'client' | 'ca' };
  /** Negative if it has expired. */
  readonly leftMs: number;
}
