import type { ReactElement } from 'react';

interface ReceivedProps {
  readonly value: unknown;
  /** Dotted paths of the members that rules read. */
  readonly marked: ReadonlySet<string>;
}

/** The body as received. Members that rules read are highlighted. */
export function Received({ value, marked }: ReceivedProps): ReactElement {
  return (
    <div className="overflow-x-auto px-1.5 font-mono text-xs leading-5">
      <Members value={value} path="" marked={marked} />
    </div>
  );
}

function Members({ value, path, marked }: ReceivedProps & { readonly path: string }): ReactElement {
  if (typeof value !== 'object' || value === null) return <Plain value={value} />;
  const entries = Object.entries(value);
  if (entries.length === 0) return <span className="text-soft">{Array.isArray(value) ? '[]' : '{}'}</span>;
  return (
    <ul>
      {entries.map(([name, inner]) => {
        const at = path === '' ? name : `${path}.${name}`;
        const nested = typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0;
        return (
          <li key={name} className={marked.has(at) ? '-mx-1.5 rounded bg-warn-wash px-1.5' : ''}>
            <span className="text-soft">{name}</span>
            <span className="text-soft">: </span>
            {nested ? (
              <div className="ml-1 border-l border-line pl-3">
                <Members value={inner} path={at} marked={marked} />
              </div>
            ) : (
              <Plain value={inner} />
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Plain({ value }: { readonly value: unknown }): ReactElement {
  if (typeof value === 'string') {
    return value === '' ? <span className="text-soft">""</span> : <span className="break-all">{value}</span>;
  }
  return <span className="text-cool">{JSON.stringify(value)}</span>;
}
