import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Event } from '../../api/operations.generated.ts';
import { usePersonal } from '../../api/personal.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Panel } from '../../parts/panel.tsx';
import { FiredRule } from '../event/fired-rule.tsx';

/** Why: the rules of the newest event on which most of them fired, with what each condition saw. */
export function RiskiestEvent({ events }: { readonly events: readonly Event[] }): ReactElement | null {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const most = Math.max(0, ...events.map(({ fired }) => fired.length));
  const riskiest = events.find(({ fired }) => fired.length === most);
  const event = useQuery({
    ...asking('readEvent', { params: { workspace, event: riskiest?.id ?? '' }, query: usePersonal() }),
    enabled: riskiest !== undefined,
  });
  if (riskiest === undefined) return null;
  return (
    <Panel title={t('event.why')}>
      <Asked of={event} rows={4}>
        {({ rules, policyVersion }) => (
          <div className="flex flex-col gap-3">
            {rules.map((rule) => (
              <FiredRule key={rule.reason} rule={rule} version={policyVersion} />
            ))}
          </div>
        )}
      </Asked>
    </Panel>
  );
}
