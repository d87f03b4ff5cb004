import type { CertificateExpiry } from '../../platform/observability/certificate-expiry.ts';
import { certificatesOf } from './pem.ts';
import type { Workspace } from './workspace.ts';

/**
 * The remaining validity of webhook certificates: the first of a client certificate's chain, and of the trusted
 * certificates the one that is valid longest.
 */
export function webhookCertificatesLeft(workspaces: readonly Workspace[], nowMs: number): readonly CertificateExpiry[] {
  return workspaces.flatMap(({ id, settings: { webhook } }) => {
    const left: CertificateExpiry[] = [];
    const client = endsOf(webhook?.clientCertificatePem).at(0);
    const ca = endsOf(webhook?.caPem)
      .toSorted((a, b) => b - a)
      .at(0);
    if (client !== undefined) left.push({ labels: { workspace: id, certificate: 'client' }, leftMs: client - nowMs });
    if (ca !== undefined) left.push({ labels: { workspace: id, certificate: 'ca' }, leftMs: ca - nowMs });
    return left;
  });
}

function endsOf(pem: string | undefined): readonly number[] {
  return pem === undefined ? [] : certificatesOf(pem).map(({ validToDate }) => validToDate.getTime());
}
