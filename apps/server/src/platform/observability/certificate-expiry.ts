/** How long a certificate that is in force holds. */
export interface CertificateLeft {
  readonly labels:
    | { readonly listener: string }
    | { readonly workspace: string; readonly certificate: 'client' | 'ca' };
  /** Negative when it has ended. */
  readonly leftMs: number;
}
