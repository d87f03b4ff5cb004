import { type ReactElement, type ReactNode, useId } from 'react';

interface DataTableProps {
  readonly title: string;
  readonly hint?: string;
  readonly columns: readonly string[];
  /** The first cell of each row is its heading. */
  readonly rows: readonly (readonly ReactNode[])[];
}

/** A table of figures with a heading. */
export function DataTable({ title, hint, columns, rows }: DataTableProps): ReactElement {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className="font-semibold">
        {title}
      </h3>
      {hint === undefined ? null : <p className="text-xs text-soft">{hint}</p>}
      <div tabIndex={0} role="group" aria-labelledby={id} className="overflow-x-auto">
        <table className="mt-1 w-full text-right tabular-nums">
          <thead>
            <tr className="border-b border-line text-xs text-soft">
              {columns.map((column, at) => (
                <th key={column} scope="col" className={`px-1.5 py-1 font-medium ${at === 0 ? 'text-left' : ''}`}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, ...cells], row) => (
              <tr key={row} className="border-b border-line last:border-0">
                <th scope="row" className="px-1.5 py-1 text-left font-normal">
                  {name}
                </th>
                {cells.map((cell, at) => (
                  <td key={at} className="px-1.5">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
