import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { SearchTops, TopValue } from '../../api/operations.generated.ts';
import { useFormats } from '../../format/use-formats.ts';
import { DbIpNote } from '../../parts/db-ip-note.tsx';
import { EntityLink } from '../../parts/entity-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useRuleNames } from '../policy/use-rule-names.ts';

const kinds = ['client', 'payee', 'device', 'ip', 'country', 'channel', 'category', 'rule'] as const;
type Kind = (typeof kinds)[number];

/** The most frequent values of the results, by kind. */
export function FoundTops({ tops }: { readonly tops: SearchTops }): ReactElement {
  const rules = useRuleNames();
  const { t, i18n } = useTranslation();
  const names = new Intl.DisplayNames(i18n.language, { type: 'region' });
  const there = kinds.filter((kind) => tops[kind].length > 0);
  const nameOf = (kind: Kind, { value, ref }: TopValue): ReactNode => {
    if (kind === 'country') return /^[A-Z]{2}$/.test(value) ? (names.of(value) ?? value) : value;
    if (kind === 'client' || kind === 'payee' || kind === 'device' || kind === 'ip') {
      return <EntityLink kind={kind} name={value} of={ref} mono={kind !== 'client'} />;
    }
    if (kind !== 'rule') return value;
    return (
      <>
        <span className="mr-2 text-soft">{value}</span>
        {rules?.get(Number(value))}
      </>
    );
  };
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(18rem,1fr))] gap-4">
      {there.map((kind) => (
        <Panel key={kind} title={t(`find.top.${kind}`)} hint={kind === 'rule' ? t('find.topRuleHint') : undefined}>
          <Bars items={tops[kind]} nameOf={(item) => nameOf(kind, item)} />
          {kind === 'country' ? <DbIpNote /> : null}
        </Panel>
      ))}
    </div>
  );
}

function Bars(props: {
  readonly items: readonly TopValue[];
  readonly nameOf: (item: TopValue) => ReactNode;
}): ReactElement {
  const formats = useFormats();
  const max = Math.max(1, ...props.items.map(({ count }) => count));
  return (
    <ul className="flex flex-col gap-0.5 text-sm">
      {props.items.map((item) => (
        // In pixels: targets closer than 24 are hard to hit (WCAG 2.2, target size).
        <li
          key={item.ref ?? item.value}
          className="grid min-h-[24px] grid-cols-[minmax(0,1fr)_4.5rem_2.5rem] items-center gap-3"
        >
          <span className="truncate">{props.nameOf(item)}</span>
          <span aria-hidden className="h-1.5 rounded-full bg-sunken">
            <span className="block h-full rounded-full bg-fence" style={{ width: `${(100 * item.count) / max}%` }} />
          </span>
          <span className="text-right">{formats.number(item.count)}</span>
        </li>
      ))}
    </ul>
  );
}
