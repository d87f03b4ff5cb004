import type { ReactElement } from 'react';
import { Instant } from './instant.tsx';

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

/** The value of a fact as text; instants in the time zone of the workspace. */
export function FactValue({ value }: { readonly value: string }): ReactElement {
  return instant.test(value) ? <Instant at={value} /> : <>{value}</>;
}
