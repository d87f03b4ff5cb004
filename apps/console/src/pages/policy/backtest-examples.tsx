import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { BacktestExample } from '../../api/operations.generated.ts';
import { usePersonal } from '../../api/personal.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Amount } from '../../parts/amount.tsx';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { DbIpNoteOf } from '../../parts/db-ip-note.tsx';
import { Instant } from '../../parts/instant.tsx';
import { OutcomeBadge } from '../alerts/outcome-badge.tsx';
import { ConditionRow } from '../event/condition-row.tsx';

/** Enough for a person to read. */
const shownMax = 30;

interface BacktestExamplesProps {
  readonly id: number;
  readonly isNarrow: boolean;
}

/** Events that are newly or no longer flagged, with the values their conditions read; each links to its page. */
export function BacktestExamples({ id, isNarrow }: BacktestExamplesProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const query = usePersonal();
  const examples = useQuery(asking('listBacktestExamples', { params: { workspace, backtest: id }, query }));
  return (
    <section>
      <h3 className="eyebrow mb-1">{t('backtest.examples')}</h3>
      <Asked of={examples} rows={2}>
        {({ items }) => (
          <ul className="divide-y divide-line">
            {items.length === 0 ? <li className="text-soft">{t('backtest.noExamples')}</li> : null}
            {items
              .toSorted(byList)
              .slice(0, shownMax)
              .map((example) => (
                <Example
                  key={`${example.list}${example.reason ?? ''}${example.event}`}
                  example={example}
                  isNarrow={isNarrow}
                />
              ))}
          </ul>
        )}
      </Asked>
    </section>
  );
}

/** Changed results first, then a few events of each rule. */
const lists = ['newlyFlagged', 'noLongerFlagged', 'rule'];

function byList(a: BacktestExample, b: BacktestExample): number {
  return lists.indexOf(a.list) - lists.indexOf(b.list);
}

function Example({
  example,
  isNarrow,
}: {
  readonly example: BacktestExample;
  readonly isNarrow: boolean;
}): ReactElement {
  const { t } = useTranslation();
  const { list, at, client, amount, currency, label, rules } = example;
  return (
    <li>
      <details className="group">
        <summary className="flex cursor-pointer list-none flex-wrap items-center gap-x-2 gap-y-1 py-1.5">
          <ChevronRight aria-hidden className="size-3.5 shrink-0 text-soft group-open:rotate-90" />
          <Badge tone={list === 'newlyFlagged' ? 'warn' : 'plain'}>{t(`backtest.list.${list}`)}</Badge>
          {label === undefined ? null : <OutcomeBadge outcome={label} />}
          <span className="font-medium">{client ?? '–'}</span>
          <Amount digits={amount} currency={currency} />
          <span className="ml-auto flex items-center gap-2 text-xs text-soft">
            {rules.map(({ reason }) => reason).join(', ')}
            <Instant at={at} as={isNarrow ? 'clock' : 'instant'} />
          </span>
        </summary>
        <div className="mb-2 ml-5 rounded-md border border-line">
          <ul>
            {rules.flatMap(({ reason, conditions }) =>
              conditions.map(({ text, holds, values }) => (
                <ConditionRow
                  key={`${reason}${text}`}
                  isTold
                  isNarrow={isNarrow}
                  condition={{
                    text,
                    holds,
                    values: Object.entries(values).map(([path, value]) => ({ path, text: value })),
                  }}
                />
              )),
            )}
          </ul>
          <DbIpNoteOf
            paths={rules.flatMap(({ conditions }) => conditions.flatMap(({ values }) => Object.keys(values)))}
          />
          <OpenEvent event={example.event} />
        </div>
      </details>
    </li>
  );
}

/** Imported events have no page. */
function OpenEvent({ event }: { readonly event: string }): ReactElement | null {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  if (!event.startsWith('evt_')) return null;
  return (
    <p className="px-3 py-2 text-xs">
      <Link
        to="/w/$workspace/events/$event"
        params={{ workspace, event }}
        className="font-medium text-fence hover:underline"
      >
        {t('backtest.openEvent')}
      </Link>
    </p>
  );
}
