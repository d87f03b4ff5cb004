import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertFacts } from '../../api/operations.generated.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';

/** Height of the strip, in its own units. */
const height = 24;
/** Even the smallest payment is visible. */
const leastBar = 2;

/** The last payments as bars, the oldest on the left, and this one, marked, on the right. */
export function AmountStrip({ facts }: { readonly facts: AlertFacts }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const formats = useFormats();
  const { amount, currency, usual, event, at } = facts;
  if (amount === undefined) return <>–</>;
  if (usual.payments.length === 0) return <>{t('alerts.noPayments')}</>;
  const bars = [...usual.payments.toReversed(), { event, at, amount, fired: true }];
  const most = Math.max(...bars.map((bar) => Number(bar.amount)));
  const highest = usual.payments.toSorted((a, b) => Number(b.amount) - Number(a.amount))[0]!.amount;
  return (
    <div className="flex flex-wrap items-center gap-x-3">
      <ul aria-label={t('alerts.lastPayments')} className="flex">
        {bars.map((bar) => {
          const isThis = bar.event === event;
          const tall = Math.max(leastBar, most === 0 ? 0 : (Number(bar.amount) / most) * height);
          const label = `${formats.amount(bar.amount, currency)} · ${formats.day(bar.at)}`;
          return (
            <li key={bar.event}>
              <Link
                to="/w/$workspace/events/$event"
                params={{ workspace, event: bar.event }}
                aria-label={isThis ? `${label} · ${t('alerts.thisOne')}` : label}
                title={label}
                className="grid size-[26px] place-items-center rounded hover:bg-sunken"
              >
                <svg aria-hidden viewBox={`0 0 24 ${height}`} preserveAspectRatio="none" className="size-6">
                  <rect
                    x={5}
                    width={14}
                    y={height - tall}
                    height={tall}
                    rx={1}
                    className={isThis ? 'fill-bad' : 'fill-line-strong'}
                  />
                </svg>
              </Link>
            </li>
          );
        })}
      </ul>
      <span className="text-xs">
        {t('alerts.upTo', { amount: formats.amount(highest, currency), count: usual.payments.length })}
      </span>
    </div>
  );
}
