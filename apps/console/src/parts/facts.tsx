import type { ReactElement, ReactNode } from 'react';
import { FactValue } from './fact-value.tsx';

interface FactsProps {
  readonly of: readonly { readonly name: string; readonly value: ReactNode; readonly marked?: boolean }[];
  readonly mono?: boolean;
}

/** A list of names and values. */
export function Facts({ of, mono }: FactsProps): ReactElement {
  return (
    <dl className="grid grid-cols-[minmax(8rem,auto)_minmax(0,1fr)] text-sm">
      {of.map(({ name, value, marked }) => (
        <div
          key={name}
          className={`col-span-full grid grid-cols-subgrid gap-x-4 rounded px-1.5 py-1 ${marked === true ? 'bg-warn-wash' : ''}`}
        >
          <dt className={mono === true ? 'font-mono text-xs leading-5 text-soft' : 'text-soft'}>{name}</dt>
          <dd className={`min-w-0 break-words ${mono === true ? 'font-mono text-xs leading-5' : ''}`}>
            {mono === true && typeof value === 'string' ? <FactValue value={value} /> : value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
