import { Link } from '@tanstack/react-router';
import { type ReactElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Hold } from '../../api/operations.generated.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Amount } from '../../parts/amount.tsx';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Countdown } from '../../parts/countdown.tsx';
import { EntityLink } from '../../parts/entity-link.tsx';
import { Instant } from '../../parts/instant.tsx';
import { useRuleName } from '../policy/use-rule-names.ts';
import { HoldTools } from './hold-tools.tsx';

interface HoldCardProps {
  readonly hold: Hold;
  /** Before everything else, such as a checkbox. */
  readonly children?: ReactNode;
}

/** A held payment with its deadline, and what can be done about it. */
export function HoldCard({ hold, children }: HoldCardProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const ruleName = useRuleName();
  return (
    <div className="flex items-start gap-3 px-4 py-3 text-sm">
      {children}
      <div className="flex min-w-0 grow flex-col gap-1">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
          <Link
            to="/w/$workspace/events/$event"
            params={{ workspace, event: hold.event }}
            className="font-medium hover:text-fence hover:underline"
          >
            {hold.amount === undefined ? t('holds.held') : <Amount digits={hold.amount} currency={hold.currency} />}
          </Link>
          {hold.members > 1 ? <Badge tone="warn">{t('holds.members', { count: hold.members })}</Badge> : null}
          <EntityLink kind="client" name={hold.client} of={hold.clientRef} />
          <span className="text-soft">
            <span className="font-mono text-xs">{hold.reason}</span>{' '}
            {hold.rule === undefined ? null : ruleName(hold.rule)}
          </span>
          <span className="ml-auto">{hold.state === 'open' ? <Deadline hold={hold} /> : <End hold={hold} />}</span>
        </div>
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <span className="text-xs text-soft">
            <Instant at={hold.openedAt} />
            {hold.decision?.comment === undefined ? null : ` · “${hold.decision.comment}”`}
          </span>
          <HoldTools hold={hold} />
        </div>
      </div>
    </div>
  );
}

function Deadline({ hold }: HoldCardProps): ReactElement {
  const { t } = useTranslation();
  const { keptBecause, dueAt, otherwise } = hold;
  if (keptBecause !== undefined) return <Badge tone="warn">{t(`holds.kept.${keptBecause}`)}</Badge>;
  return (
    <span className="text-soft">
      <Countdown to={dueAt} /> {t(`holds.otherwise.${otherwise}`)}
    </span>
  );
}

const tones: Readonly<Record<Hold['state'], Tone>> = {
  open: 'watch',
  released: 'good',
  rejected: 'bad',
  unresolved: 'plain',
};

function End({ hold }: HoldCardProps): ReactElement {
  const { t } = useTranslation();
  const { state, resolvedBy, author, resolvedAt, bypassed, decision } = hold;
  return (
    <span className="inline-flex flex-wrap items-center gap-2 text-soft">
      <Badge tone={tones[state]}>{t(`holds.state.${state}`)}</Badge>
      {resolvedBy === undefined ? null : t(`holds.endedBy.${resolvedBy}`, { name: author ?? '–' })}
      {resolvedBy !== 'person' || decision?.second === undefined
        ? null
        : t('holds.secondOf', { name: decision.second })}
      {bypassed === true ? <Badge tone="warn">{t('holds.bypassed')}</Badge> : null}
      {resolvedAt === undefined ? null : <Instant at={resolvedAt} />}
    </span>
  );
}
