import type { ReactElement } from 'react';

/** Asked for by the licence of the table of countries and operators that ships, in these words, wherever they are shown. */
export function DbIpNote(): ReactElement {
  return (
    <a className="text-xs text-soft hover:underline" href="https://db-ip.com" target="_blank" rel="noreferrer">
      IP Geolocation by DB-IP
    </a>
  );
}
