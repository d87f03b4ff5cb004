import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DbIpNote } from '../../parts/db-ip-note.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Panel } from '../../parts/panel.tsx';

/** What the table of addresses says. */
const fromTable = /^ip\.(?:country|continent|asn|organisation)$/;

interface DerivedProps {
  readonly facts: Readonly<Record<string, unknown>>;
  /** Those that rules looked at. */
  readonly marked: ReadonlySet<string>;
}

/** What was found out about an event when it arrived. */
export function Derived({ facts, marked }: DerivedProps): ReactElement {
  const { t } = useTranslation();
  const entries = Object.entries(facts);
  return (
    <Panel title={t('event.derived')}>
      {entries.length === 0 ? (
        <p className="text-sm text-soft">{t('event.nothingDerived')}</p>
      ) : (
        <Facts mono of={entries.map(([name, value]) => ({ name, value: String(value), marked: marked.has(name) }))} />
      )}
      {entries.some(([name]) => fromTable.test(name)) ? <DbIpNote /> : null}
    </Panel>
  );
}
