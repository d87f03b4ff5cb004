import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Event } from '../../api/operations.generated.ts';
import { useHearing } from '../../api/live.ts';
import { usePersonal } from '../../api/personal.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Panel } from '../../parts/panel.tsx';
import { EventOutcome } from '../entity/event-outcome.tsx';
import { FiredRule } from '../event/fired-rule.tsx';

const everyMs = 10_000;

/**
 * Actions of the riskiest event of the alert (the newest of those on which most rules fired), and each condition of its
 * rules with the values it read.
 */
export function RiskiestEvent({ events }: { readonly events: readonly Event[] }): ReactElement | null {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const most = Math.max(0, ...events.map(({ fired }) => fired.length));
  const riskiest = events.find(({ fired }) => fired.length === most);
  // Whether the client is already blocked is known once the bank has responded.
  const askEveryMs = useHearing(['action'], everyMs, () => event.refetch());
  const event = useQuery({
    ...asking('readEvent', { params: { workspace, event: riskiest?.id ?? '' }, query: usePersonal() }),
    enabled: riskiest !== undefined,
    refetchInterval: askEveryMs,
  });
  if (riskiest === undefined) return null;
  return (
    <Panel title={t('event.why')}>
      <Asked of={event} rows={4}>
        {({ rules, policyVersion, actions }) => (
          <div className="flex flex-col gap-3">
            {actions.length === 0 ? null : (
              <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
                <span className="text-soft">{t('event.actions')}</span>
                <EventOutcome event={{ actions }} wrap />
              </p>
            )}
            {rules.map((rule) => (
              <FiredRule key={rule.reason} rule={rule} version={policyVersion} />
            ))}
          </div>
        )}
      </Asked>
    </Panel>
  );
}
