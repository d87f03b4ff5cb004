import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { EventDetail } from '../../api/operations.generated.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';

type Outcome = EventDetail['outcomes'][number];

const tones: Partial<Record<Outcome['outcome'], Tone>> = {
  stepUpPassed: 'good',
  legitimate: 'good',
  stepUpFailed: 'warn',
  stepUpAbandoned: 'warn',
  fraud: 'bad',
  chargeback: 'bad',
};

/** What the bank reported about an event, oldest first. */
export function EventOutcomes({ outcomes }: { readonly outcomes: EventDetail['outcomes'] }): ReactElement {
  const { t } = useTranslation();
  return (
    <Panel title={t('event.outcomes')}>
      <ul className="flex flex-col gap-2 text-sm">
        {outcomes.map((outcome) => (
          <li key={`${outcome.reportedAt} ${outcome.outcome}`} className="flex flex-wrap items-center gap-x-2">
            <Badge tone={tones[outcome.outcome] ?? 'plain'}>{t(`event.outcome.${outcome.outcome}`)}</Badge>
            <OutcomeDetails outcome={outcome} />
            <span className="ml-auto text-xs text-soft">
              {outcome.author} · <Instant at={outcome.happenedAt ?? outcome.reportedAt} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function OutcomeDetails({ outcome }: { readonly outcome: Outcome }): ReactElement {
  const { t } = useTranslation();
  const { code, currency = '', loss, method, note, recovered, stage, type } = outcome;
  const details = [
    method,
    type,
    code,
    stage === undefined ? undefined : t(`event.outcomeStage.${stage}`),
    loss === undefined ? undefined : t('event.outcomeLoss', { amount: `${loss} ${currency}`.trim() }),
    recovered === undefined ? undefined : t('event.outcomeRecovered', { amount: `${recovered} ${currency}`.trim() }),
    note === undefined ? undefined : `“${note}”`,
  ];
  return <span className="text-soft">{details.filter((detail) => detail !== undefined).join(' · ')}</span>;
}
