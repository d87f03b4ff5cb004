import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { EventDetail } from '../../api/operations.generated.ts';
import { DbIpNoteOf } from '../../parts/db-ip-note.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Panel } from '../../parts/panel.tsx';
import { derivedGroups } from './derived-groups.ts';

interface DerivedProps {
  readonly event: EventDetail;
  /** Values that rules read. */
  readonly marked: ReadonlySet<string>;
}

/** Derived data: device, address, session, and the features that its rules read. */
export function Derived({ event, marked }: DerivedProps): ReactElement {
  const { t } = useTranslation();
  const groups = derivedGroups(event);
  const paths = groups.flatMap(({ facts }) => facts.map(([path]) => path));
  return (
    <Panel title={t('event.derived')} hint={groups.length === 0 ? undefined : t('event.derivedHint')}>
      {groups.length === 0 ? <p className="text-sm text-soft">{t('event.nothingDerived')}</p> : null}
      <div className="flex flex-col gap-3">
        {groups.map(({ name, facts }) => (
          <section key={name}>
            <h3 className="eyebrow mb-1">{t(`event.derivedOf.${name}`)}</h3>
            <Facts mono of={facts.map(([path, value]) => ({ name: path, value, marked: marked.has(path) }))} />
          </section>
        ))}
      </div>
      <div className="-mx-3 pt-2 empty:hidden">
        <DbIpNoteOf paths={paths} />
      </div>
    </Panel>
  );
}
