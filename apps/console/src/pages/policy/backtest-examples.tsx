import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Amount } from '../../parts/amount.tsx';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Instant } from '../../parts/instant.tsx';

/** Events that are flagged now and were not, or the other way round, with what their conditions saw. */
export function BacktestExamples({ id }: { readonly id: number }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const examples = useQuery(asking('listBacktestExamples', { params: { workspace, backtest: id } }));
  return (
    <section>
      <h3 className="eyebrow mb-1">{t('backtest.examples')}</h3>
      <Asked of={examples} rows={2}>
        {({ items }) => (
          <ul className="divide-y divide-line">
            {items.slice(0, 30).map((example, at) => (
              <li key={at}>
                <details>
                  <summary className="flex cursor-pointer items-center gap-3 py-1.5">
                    <Badge tone={example.list === 'newlyFlagged' ? 'warn' : 'plain'}>
                      {t(`backtest.list.${example.list}`)}
                    </Badge>
                    <Instant at={example.at} />
                    <span className="font-medium">{example.client ?? '–'}</span>
                    <Amount digits={example.amount} currency={example.currency} />
                    <span className="ml-auto text-soft">{example.rules.map(({ reason }) => reason).join(', ')}</span>
                  </summary>
                  <ul className="mb-2 rounded bg-sunken p-2 font-mono text-xs">
                    {example.rules.flatMap(({ reason, conditions }) =>
                      conditions.map(({ text, holds, values }) => (
                        <li key={`${reason}${text}`} className="flex gap-3">
                          <span className="text-soft">{reason}</span>
                          <span className="grow">
                            {holds === true ? '✓' : holds === false ? '✗' : '…'} {text}
                          </span>
                          <span>
                            {Object.entries(values)
                              .map(([path, value]) => `${path} ${value}`)
                              .join(', ')}
                          </span>
                        </li>
                      )),
                    )}
                  </ul>
                </details>
              </li>
            ))}
          </ul>
        )}
      </Asked>
    </section>
  );
}
