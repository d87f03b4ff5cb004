import type { ReactElement } from 'react';

/** What the table of addresses says. */
const fromTable = /^ip\.(?:country|continent|asn|organisation)$/;

/** Asked for by the licence of the table of countries and operators that ships, in these words, wherever they are shown. */
export function DbIpNote(): ReactElement {
  return (
    <a className="text-xs text-soft hover:underline" href="https://db-ip.com" target="_blank" rel="noreferrer">
      IP Geolocation by DB-IP
    </a>
  );
}

/** The same below facts, where one of them is of that table. */
export function DbIpNoteOf({ paths }: { readonly paths: readonly string[] }): ReactElement | null {
  return paths.some((path) => fromTable.test(path)) ? (
    <p className="px-3 pb-2">
      <DbIpNote />
    </p>
  ) : null;
}
