import { Lock } from 'lucide-react';
import { memo, type MouseEvent, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Alert } from '../../api/operations.generated.ts';
import { isolated } from '../../language/isolated.ts';
import { Amount } from '../../parts/amount.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Instant } from '../../parts/instant.tsx';
import { DueTime } from './due-time.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';
import { Risk } from './risk.tsx';

interface AlertRowProps {
  readonly alert: Alert;
  readonly isOpen: boolean;
  readonly isMarked: boolean;
  readonly names: ReadonlyMap<number, string> | undefined;
  readonly href: string;
  readonly onOpen: (id: string) => void;
  /** `isRange`: with Shift, up to the row that was marked last. */
  readonly onMark: ((id: string, isRange: boolean) => void) | undefined;
}

/**
 * An alert in the queue: its risk, assignee, rules, amount and due time; or who decided it, and when. Memoized, and
 * without a router link: the list has hundreds of rows, and each link would subscribe to every navigation.
 */
export const AlertRow = memo(function AlertRow(props: AlertRowProps) {
  const { alert, isOpen, isMarked, names, href, onOpen, onMark } = props;
  const { t } = useTranslation();
  const { client, claimedBy } = alert;
  return (
    <li
      className={`flex items-center gap-2 pl-3 [content-visibility:auto] [contain-intrinsic-block-size:auto_3.57rem] ${isOpen ? 'row-here' : 'hover:bg-sunken'}`}
    >
      {onMark === undefined ? null : (
        <input
          type="checkbox"
          aria-label={t('alerts.mark', { client: client ?? '–' })}
          checked={isMarked}
          onChange={({ nativeEvent }) => onMark(alert.id, nativeEvent instanceof PointerEvent && nativeEvent.shiftKey)}
          className="size-4 shrink-0 accent-fence"
        />
      )}
      <a
        href={href}
        onClick={(event) => {
          if (leadsElsewhere(event)) return;
          event.preventDefault();
          onOpen(alert.id);
        }}
        aria-current={isOpen ? 'page' : undefined}
        className="grid min-w-0 grow grid-cols-[2.5rem_minmax(0,1fr)_fit-content(60%)] items-center gap-x-2.5 py-2 pr-3 text-left text-sm -outline-offset-2"
      >
        <Risk value={alert.risk} />
        <span className="min-w-0">
          <span className="flex items-center gap-2">
            <span className="truncate font-medium">{client ?? t('alerts.noClient')}</span>
            {claimedBy === undefined ? null : (
              <Lock
                aria-label={t('alerts.claimedBy', { name: claimedBy })}
                role="img"
                className="size-3.5 shrink-0 text-soft"
              />
            )}
          </span>
          <Rules reasons={alert.reasons} names={names} />
          {alert.closedBy === undefined ? null : (
            <span className="block truncate text-xs text-soft">
              {t('alerts.by', { name: isolated(alert.closedBy) })}
            </span>
          )}
        </span>
        <Figures alert={alert} />
      </a>
    </li>
  );
});

/** Rules that are named; the others are counted. */
const namedMax = 2;

function Rules({ reasons, names }: Pick<Alert, 'reasons'> & Pick<AlertRowProps, 'names'>): ReactElement {
  const more = reasons.length - namedMax;
  return (
    <>
      {reasons.slice(0, namedMax).map((reason, at) => (
        <span key={reason} className="flex items-center gap-1 overflow-hidden">
          <Badge title={names?.get(reason) ?? ''}>{reason}</Badge>
          <span className="truncate text-xs leading-5 text-soft">{names?.get(reason)}</span>
          {at === namedMax - 1 && more > 0 ? <Badge title={reasons.slice(namedMax).join(', ')}>+{more}</Badge> : null}
        </span>
      ))}
    </>
  );
}

function Figures({ alert }: Pick<AlertRowProps, 'alert'>): ReactElement {
  const { amount, currency, lastAt, outcome, closedAt, dueAt } = alert;
  return (
    <span className="flex flex-col items-end gap-0.5 text-right text-xs text-soft wrap-anywhere">
      {outcome === undefined ? <Amount digits={amount} currency={currency} /> : <OutcomeBadge outcome={outcome} />}
      <Instant at={closedAt ?? lastAt} as="ago" />
      {dueAt === undefined ? null : <DueTime at={dueAt} />}
    </span>
  );
}

/** Clicks that open another tab or window or a download are left to the browser. */
function leadsElsewhere({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean {
  return button !== 0 || metaKey || ctrlKey || shiftKey || altKey;
}
