import type { ReactElement } from 'react';
import { useCountryName } from '../format/use-country-name.ts';

/** A country by its two letters, with its name. */
export function Country({ code }: { readonly code: string | undefined }): ReactElement {
  const nameOf = useCountryName();
  if (code === undefined) return <span className="text-soft">–</span>;
  return (
    <abbr title={nameOf(code)} className="no-underline">
      {code}
    </abbr>
  );
}
