import type { ReactElement } from 'react';

/** Attribution text of the location database. */
const fromTable = /^ip\.(?:country|continent|asn|organisation)$/;

/** The licence of the bundled country and operator data requires this wording wherever the data is shown. */
export function DbIpNote(): ReactElement {
  return (
    <a className="text-xs text-soft hover:underline" href="https://db-ip.com" target="_blank" rel="noreferrer">
      IP Geolocation by DB-IP
    </a>
  );
}

/** The attribution below facts, if one of them comes from that data. */
export function DbIpNoteOf({ paths }: { readonly paths: readonly string[] }): ReactElement | null {
  return paths.some((path) => fromTable.test(path)) ? (
    <p className="px-3 pb-2">
      <DbIpNote />
    </p>
  ) : null;
}
